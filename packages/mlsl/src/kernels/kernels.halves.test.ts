/** Conversion of 16-bit floats: one suite over the WebAssembly kernels and their plain twin. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DATA_TYPES, dataTypeInfo, viewOf } from "../memory/dataTypes.js";
import { segmentBytesFor } from "../memory/layout.js";
import { newThreadMemory } from "../memory/segment.js";
import { Random } from "../simulation/random.js";
import { KERNELS } from "../testing/localJob.js";
import { halfNumber, roundToHalf } from "../testing/models/halfModel.js";
import { chooseKernels } from "./chooseKernels.js";

/** Where source and target lie: well above a segment's header and tables, apart from each other. */
const SOURCE_AT = 1048576;
const TARGET_AT = 4194304;

const memory = newThreadMemory(1, segmentBytesFor(1, 8388608));
const TYPES = ["float16", "bfloat16"] as const;

/** Half way between neighbours of a type, the float32 just below and just above, of both signs. */
function halfWays(type: (typeof TYPES)[number]): Float32Array {
  const values: number[] = [];
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  for (let pattern = 0; Number.isFinite(halfNumber(type, pattern)); pattern++) {
    const next = halfNumber(type, pattern + 1);
    const low = halfNumber(type, pattern);
    // Beyond the greatest number the next one would be as far as the one before.
    float[0] = Number.isFinite(next)
      ? (low + next) / 2
      : low + (low - halfNumber(type, pattern - 1)) / 2;
    bits[0]!--;
    for (let i = 0; i < 3; i++) {
      values.push(float[0]!, -float[0]!);
      bits[0]!++;
    }
  }
  return Float32Array.from(values);
}

function randomFloats(count: number): Float32Array {
  const random = new Random(7);
  const bits = Uint32Array.from({ length: count }, () => random.below(2 ** 32));
  return new Float32Array(bits.buffer);
}

for (const name of KERNELS) {
  const kernels = chooseKernels(memory, name);

  for (const type of TYPES) {
    const { code } = dataTypeInfo(type);

    test(`${name} converts every ${type} to float32 and back to the same bits`, () => {
      const halves = viewOf(type, memory.buffer, SOURCE_AT, 65536);
      for (let pattern = 0; pattern < 65536; pattern++) halves.bits[pattern] = pattern;
      kernels.toFloat32(TARGET_AT, SOURCE_AT, 65536, code);
      const floats = new Float32Array(memory.buffer, TARGET_AT, 65536);
      for (let pattern = 0; pattern < 65536; pattern++) {
        const expected = halfNumber(type, pattern);
        assert.ok(Object.is(floats[pattern], expected), `${pattern}: ${floats[pattern]}`);
      }
      const nan = viewOf(type, new ArrayBuffer(2), 0, 1).fill(NaN).bits[0]!;
      halves.bits.fill(1);
      kernels.fromFloat32(SOURCE_AT, TARGET_AT, 65536, code);
      for (let pattern = 0; pattern < 65536; pattern++) {
        const expected = Number.isNaN(halfNumber(type, pattern)) ? nan : pattern;
        assert.equal(halves.bits[pattern], expected, `pattern ${pattern}`);
      }
    });

    test(`${name} rounds float32 to the nearest ${type}, half way to the even one`, () => {
      for (const values of [halfWays(type), randomFloats(100003)]) {
        new Float32Array(memory.buffer, SOURCE_AT, values.length).set(values);
        kernels.fromFloat32(TARGET_AT, SOURCE_AT, values.length, code);
        const halves = viewOf(type, memory.buffer, TARGET_AT, values.length);
        for (const [i, value] of values.entries()) {
          const expected = roundToHalf(type, value);
          assert.ok(Object.is(halves.get(i), expected), `${value} became ${halves.get(i)}`);
        }
      }
    });

    test(`${name} converts any number of ${type} from anywhere, and touches nothing else`, () => {
      for (const count of [0, 1, 2, 3, 7, 8, 9, 31, 67]) {
        const shift = 2 * (count % 5);
        const halves = viewOf(type, memory.buffer, SOURCE_AT + shift, count + 2).fill(-7);
        const floats = new Float32Array(memory.buffer, TARGET_AT + 2 * shift, count + 2).fill(-5);
        for (let i = 0; i < count; i++) halves.set([i], i + 1);
        kernels.toFloat32(floats.byteOffset + 4, halves.byteOffset + 2, count, code);
        const numbers = Array.from({ length: count }, (_, i) => i);
        assert.deepEqual(Array.from(floats), [-5, ...numbers, -5]);
        halves.fill(-7);
        kernels.fromFloat32(halves.byteOffset + 2, floats.byteOffset + 4, count, code);
        assert.deepEqual([...halves], [-7, ...numbers, -7]);
      }
    });
  }

  test(`${name} converts no type but the two`, () => {
    const others = DATA_TYPES.map(({ code }) => code).filter((code) => code !== 11 && code !== 12);
    for (const code of [0, ...others, 13]) {
      assert.throws(() => kernels.toFloat32(TARGET_AT, SOURCE_AT, 1, code), /Type|Runtime/);
      assert.throws(() => kernels.fromFloat32(TARGET_AT, SOURCE_AT, 1, code), /Type|Runtime/);
    }
  });
}
