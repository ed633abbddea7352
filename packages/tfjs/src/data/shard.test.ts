import "@tensorflow/tfjs-backend-cpu";
import assert from "node:assert/strict";
import { test } from "node:test";
import { memory, setBackend, type Tensor, tensor, tensor1d } from "@tensorflow/tfjs-core";
import { type Place, shard } from "./shard.js";

await setBackend("cpu");

/** All ranks of a group, to be asked one after the other: sharding needs no communication. */
function ranksOf(ranks: number): Place[] {
  return Array.from({ length: ranks }, (_, rank) => ({ rank, ranks }));
}

/** Images that hold their number, in three elements each, and labels that are their number. */
function createSamples(count: number): { images: Tensor; labels: Tensor } {
  const values = Array.from({ length: count }, (_, i) => i);
  const images = values.flatMap((i) => [i, i + 0.25, i + 0.5]);
  return { images: tensor(images, [count, 3, 1]), labels: tensor1d(values, "int32") };
}

for (const seed of [undefined, 7]) {
  test(`every sample goes to one rank and keeps its label, seed ${seed}`, () => {
    for (let ranks = 1; ranks <= 5; ranks++) {
      for (let count = ranks; count <= 20; count++) {
        const { images, labels } = createSamples(count);
        const options = seed === undefined ? {} : { seed };
        const dealt: number[] = [];
        for (const group of ranksOf(ranks)) {
          const own = [...shard(labels, group, options).dataSync()];
          const pixels = shard(images, group, options);
          assert.deepEqual(pixels.shape, [own.length, 3, 1]);
          assert.deepEqual(
            [...pixels.dataSync()],
            own.flatMap((i) => [i, i + 0.25, i + 0.5]),
          );
          assert.equal(own.length, Math.ceil((count - group.rank) / ranks));
          if (seed === undefined)
            for (const [k, i] of own.entries()) assert.equal(i, group.rank + k * ranks);
          dealt.push(...own);
        }
        assert.deepEqual(
          dealt.sort((a, b) => a - b),
          Array.from({ length: count }, (_, i) => i),
        );
      }
    }
  });
}

test("other seeds deal in other orders", () => {
  const { labels } = createSamples(20);
  const [group] = ranksOf(2);
  const orders = [1, 2, 3].map((seed) => shard(labels, group as Place, { seed }).toString());
  assert.equal(new Set(orders).size, 3);
});

test("arrays, lists and objects of tensors are dealt alike", () => {
  const [, group] = ranksOf(2) as [Place, Place];
  const { images, labels } = createSamples(5);
  assert.deepEqual(shard(["a", "b", "c", "d", "e"], group), ["b", "d"]);
  const [first, second] = shard([images, labels], group) as [Tensor, Tensor];
  assert.deepEqual(
    [first.shape, [...second.dataSync()]],
    [
      [2, 3, 1],
      [1, 3],
    ],
  );
  const named = shard({ images, labels }, group);
  assert.deepEqual(
    [named.images.shape, [...named.labels.dataSync()]],
    [
      [2, 3, 1],
      [1, 3],
    ],
  );
});

test("a group of one rank gets the data itself, or a shuffled copy", () => {
  const [group] = ranksOf(1) as [Place];
  const { labels } = createSamples(9);
  assert.equal(shard(labels, group), labels);
  const shuffled = [...shard(labels, group, { seed: 3 }).dataSync()];
  assert.notDeepEqual(shuffled, [...labels.dataSync()]);
  assert.deepEqual(shuffled.sort(), [...labels.dataSync()]);
});

test("only the shard is added to the tensors", () => {
  const { labels } = createSamples(9);
  const [group] = ranksOf(2) as [Place];
  const before = memory().numTensors;
  const own = shard(labels, group, { seed: 5 });
  assert.equal(memory().numTensors, before + 1);
  own.dispose();
  assert.equal(labels.isDisposed, false);
});

test("what cannot be dealt is an error that says why", () => {
  const [, group] = ranksOf(3) as [Place, Place];
  const { images, labels } = createSamples(4);
  const few = createSamples(2);
  assert.throws(() => shard(few.labels, group), /2 samples over 3 ranks: .* at most 2 ranks/);
  assert.throws(() => shard([], group), RangeError);
  assert.throws(() => shard([images, few.labels], group), /4 in "0" and 2 in "1"/);
  assert.throws(() => shard(tensor(1), group), /Cannot shard a scalar/);
  assert.throws(() => shard(new Float32Array(9) as never, group), /give numbers their shape/);
  assert.throws(() => shard({ labels, other: 5 } as never, group), /Cannot shard "other"/);
  assert.throws(() => shard(labels, group, { seed: 0.5 }), RangeError);
});
