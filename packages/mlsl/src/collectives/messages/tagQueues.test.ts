import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TagQueues } from "./tagQueues.js";

test("each tag is a queue of its own: as a list of pairs of tag and item would be", () => {
  const action = fc.record({ tag: fc.nat(3), push: fc.boolean() });
  fc.assert(
    fc.property(fc.array(action), (actions) => {
      const queues = new TagQueues<number>();
      let model: (readonly [tag: number, item: number])[] = [];
      actions.forEach(({ tag, push }, i) => {
        const first = model.find(([t]) => t === tag)?.[1];
        assert.equal(queues.first(tag), first);
        if (push) {
          queues.push(tag, i);
          model.push([tag, i]);
        } else {
          assert.equal(queues.remove(tag, first ?? -1), first !== undefined);
          model = model.filter(([, item]) => item !== first);
        }
        assert.equal(queues.isEmpty, model.length === 0);
      });
    }),
  );
});

test("an item is taken out of the middle, once, and only of its tag", () => {
  const queues = new TagQueues<string>();
  for (const item of ["a", "b", "c"]) queues.push(7, item);
  assert.equal(queues.remove(7, "b"), true);
  assert.equal(queues.remove(7, "b"), false);
  assert.equal(queues.remove(8, "a"), false);
  assert.equal(queues.remove(7, "a"), true);
  assert.equal(queues.first(7), "c");
});
