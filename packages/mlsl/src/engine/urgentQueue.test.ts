import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SEED } from "../testing/seed.js";
import { type Urgent, UrgentQueue } from "./urgentQueue.js";

test("the most urgent comes first, equals as they were started, operations as they came", () => {
  const queue = new UrgentQueue<Urgent>();
  const [late, first, twin] = [
    { urgency: 5, order: 0 },
    { urgency: 1, order: 1 },
    { urgency: 1, order: 2 },
  ];
  for (const request of [late, twin, first]) for (const op of [7, 3]) queue.push(request, op);
  assert.equal(queue.oldest, late);
  const taken: [Urgent, number][] = [];
  while (!queue.isEmpty) taken.push([queue.first!, queue.take(queue.first!)]);
  const expected = [first, twin, late].flatMap((request) => [
    [request, 7],
    [request, 3],
  ]);
  assert.deepEqual(taken, expected);
  assert.equal(queue.first, undefined);
  assert.equal(queue.oldest, undefined);
});

test("what is removed is gone, and may come again", () => {
  const queue = new UrgentQueue<Urgent>();
  const [a, b] = [
    { urgency: 1, order: 0 },
    { urgency: 2, order: 1 },
  ];
  queue.push(a, 1);
  queue.push(b, 2);
  queue.remove(a);
  queue.remove(a);
  assert.equal(queue.first, b);
  queue.push(a, 3);
  assert.equal(queue.peek(queue.first!), 3);
});

test("any order of calls gives what a sorted list gives", () => {
  const calls = fc.array(fc.tuple(fc.nat(7), fc.constantFrom("push", "take", "oldest", "remove")));
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { minLength: 8, maxLength: 8 }),
      calls,
      (urgencies, list) => {
        const requests = urgencies.map((urgency, order) => ({ urgency, order }));
        const queue = new UrgentQueue<Urgent>();
        let model: { request: Urgent; op: number }[] = [];
        list.forEach(([index, call], op) => {
          const sorted = [...model].sort(
            (a, b) => a.request.urgency - b.request.urgency || a.request.order - b.request.order,
          );
          const orders = model.map(({ request }) => request.order);
          const oldest = requests[Math.min(...orders)];
          assert.equal(queue.first, sorted[0]?.request);
          assert.equal(queue.oldest, orders.length === 0 ? undefined : oldest);
          const request = call === "oldest" ? oldest : sorted[0]?.request;
          if (call === "push") {
            queue.push(requests[index]!, op);
            model.push({ request: requests[index]!, op });
          } else if (call === "remove") {
            queue.remove(requests[index]!);
            model = model.filter((entry) => entry.request !== requests[index]);
          } else if (model.length > 0) {
            const place = model.findIndex((entry) => entry.request === request);
            assert.equal(queue.take(request!), model[place]!.op);
            model.splice(place, 1);
          }
        });
      },
    ),
    { seed: SEED },
  );
});
