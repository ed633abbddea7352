import assert from "node:assert/strict";
import { test } from "node:test";
import { type Digits, PIXELS, SIDE } from "./digits.js";
import { epochDigits, moveDigit } from "./epochDigits.js";

/** Digits with one dot of ink in the middle; the label tells how dark it is. */
function dots(count: number): Digits {
  const pixels = new Uint8Array(count * PIXELS);
  const labels = Uint8Array.from({ length: count }, (_, index) => index % 10);
  for (const [index, label] of labels.entries()) {
    pixels[index * PIXELS + 14 * SIDE + 14] = label + 1;
  }
  return { count, pixels, labels };
}

test("a digit moves by whole pixels and loses what leaves the picture", () => {
  const from = Uint8Array.from({ length: PIXELS }, (_, i) => 1 + (i % 251));
  for (const [right, down] of [
    [0, 0],
    [2, 0],
    [-2, 1],
    [0, -2],
    [1, 2],
  ] as const) {
    const to = new Uint8Array(PIXELS);
    moveDigit(from, to, { right, down });
    for (let row = 0; row < SIDE; row++) {
      for (let column = 0; column < SIDE; column++) {
        const [r, c] = [row - down, column - right];
        const isInside = r >= 0 && r < SIDE && c >= 0 && c < SIDE;
        assert.equal(to[row * SIDE + column], isInside ? from[r * SIDE + c] : 0);
      }
    }
  }
});

test("an epoch has every digit once, with its label, moved by at most 2 pixels", () => {
  const count = 500;
  const { pixels, labels } = epochDigits(dots(count), { epoch: 3, seed: 7 });
  const moves = new Set<number>();
  for (const [index, label] of labels.entries()) {
    const ink = pixels.subarray(index * PIXELS, (index + 1) * PIXELS);
    const at = ink.findIndex((value) => value > 0);
    assert.equal(ink[at], label + 1);
    assert.ok(Math.abs((at % SIDE) - 14) <= 2 && Math.abs(Math.floor(at / SIDE) - 14) <= 2);
    moves.add(at);
  }
  assert.equal(moves.size, 25, "all moves occur");
  assert.deepEqual(labels.toSorted(), dots(count).labels.toSorted());
});

test("epochs differ, and are the same again for the same seed", () => {
  const digits = dots(100);
  const first = epochDigits(digits, { epoch: 0, seed: 1 });
  assert.deepEqual(epochDigits(digits, { epoch: 0, seed: 1 }), first);
  assert.notDeepEqual(epochDigits(digits, { epoch: 1, seed: 1 }).labels, first.labels);
  assert.notDeepEqual(epochDigits(digits, { epoch: 0, seed: 2 }).labels, first.labels);
});
