import assert from "node:assert/strict";
import { test } from "node:test";
import { BFloat16View, Float16View } from "./halfViews.js";

for (const View of [Float16View, BFloat16View]) {
  test(`${View.name} is made of a length or of a part of a buffer, without a copy`, () => {
    const own = new View(3);
    assert.deepEqual([own.length, own.byteLength, own.byteOffset], [3, 6, 0]);
    assert.deepEqual([...own], [0, 0, 0]);
    const buffer = new SharedArrayBuffer(16);
    const part = new View(buffer, 4, 3);
    part.set([1, 2, 3]);
    assert.deepEqual([part.buffer, part.byteOffset, part.length], [buffer, 4, 3]);
    assert.deepEqual([...new View(buffer)], [0, 0, 1, 2, 3, 0, 0, 0]);
    assert.equal(new View(buffer, 10).length, 3);
    assert.deepEqual([View.BYTES_PER_ELEMENT, part.BYTES_PER_ELEMENT], [2, 2]);
    assert.throws(() => new View(buffer, 3), RangeError);
    assert.throws(() => new View(buffer, 4, 7), RangeError);
  });

  test(`${View.name} gets and sets numbers, and refuses places that it does not have`, () => {
    const view = View.from([1, -2, 0.5, Number.NaN]);
    assert.deepEqual([view.get(0), view.get(1), view.get(2), view.get(3)], [1, -2, 0.5, NaN]);
    assert.throws(() => view.get(4), /Cannot get element 4: .* below the length 4/);
    assert.throws(() => view.get(0.5), RangeError);
    view.set(new Float32Array([8, 9]), 1);
    assert.deepEqual([...view], [1, 8, 9, NaN]);
    assert.throws(() => view.set([7, 7, 7], 2), /Cannot set 3 elements from offset 2: .* has 4/);
    assert.throws(() => view.set([7], -1), RangeError);
    assert.deepEqual([...view], [1, 8, 9, NaN]);
    assert.deepEqual([...view.fill(-0.25)], [-0.25, -0.25, -0.25, -0.25]);
  });

  test(`${View.name} shares memory in subarray, copies in slice and toFloat32`, () => {
    const view = View.from([1, 2, 3, 4, 5]);
    const part = view.subarray(1, -1);
    const copy = view.slice(1, -1);
    const floats = view.toFloat32();
    part.set([7]);
    assert.deepEqual([...view], [1, 7, 3, 4, 5]);
    assert.deepEqual([...copy], [2, 3, 4]);
    assert.deepEqual(floats, Float32Array.of(1, 2, 3, 4, 5));
    assert.deepEqual([part.constructor, copy.constructor], [View, View]);
    assert.deepEqual([...view.subarray()], [...view.slice()]);
  });

  test(`${View.name} keeps the bits of elements of its own type, even of NaN`, () => {
    const source = new View(2);
    source.bits.set([0xffff, 0x0001]);
    const target = new View(3);
    target.set(source, 1);
    assert.deepEqual(Array.from(target.bits), [0, 0xffff, 0x0001]);
  });
}

test("elements of one 16-bit type are rounded to the other", () => {
  const halves = Float16View.from([1 + 2 ** -10, 3]);
  const brains = new BFloat16View(2);
  brains.set(halves);
  assert.deepEqual([...brains], [1, 3]);
  brains.fill(2 ** 100);
  halves.set(brains);
  assert.deepEqual([...halves], [Infinity, Infinity]);
});
