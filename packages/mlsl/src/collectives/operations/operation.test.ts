import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LINE, LINE_BYTES } from "../../kernels/exchangeLayout.js";
import { dataTypeInfo } from "../../memory/dataTypes.js";
import { DIRECT } from "./algorithms.js";
import {
  describe,
  fingerprintOf,
  newOperation,
  type Operation,
  readFingerprint,
} from "./operation.js";
import { resolveOperator } from "./operators.js";

function operation(part: Partial<Operation>): Operation {
  const type = dataTypeInfo("float32");
  const operator = resolveOperator(type, {});
  const way = { type, operator, ...part };
  return newOperation(part.kind ?? "allreduce", way, { count: 1, ...part });
}

test("describe says what an operation is", () => {
  const type = dataTypeInfo("uint8");
  assert.equal(describe(operation({ count: 1000 })), "allreduce sum of 1000 float32");
  assert.equal(
    describe(operation({ kind: "broadcast", operator: undefined, type, root: 3, count: 7 })),
    "broadcast of 7 uint8 from rank 3",
  );
  assert.equal(
    describe(operation({ kind: "allgather", operator: undefined, count: 0 })),
    "allgather of 0 float32 per rank",
  );
  const barrier = operation({ kind: "barrier", operator: undefined, type: undefined, count: 0 });
  assert.equal(describe(barrier), "barrier");
});

test("X-3 fingerprints keep counts beyond 32 bits and roots apart, through the words of a line", () => {
  const counts = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  fc.assert(
    fc.property(counts, fc.nat(63), (count, root) => {
      const print = fingerprintOf(
        operation({ kind: "broadcast", operator: undefined, count, root }),
      );
      const words = new Int32Array((3 * LINE_BYTES) / 4);
      const first = (2 * LINE_BYTES) / 4;
      words[first + LINE.kind] = print.kind;
      words[first + LINE.countLow] = print.countLow;
      words[first + LINE.countHighAndRoot] = print.countHighAndRoot;
      assert.deepEqual(readFingerprint(words, 0, 2), print);
      assert.match(describe(operation({ count })), new RegExp(`of ${count} float32$`));
    }),
  );
});

test("operations that differ in anything have different fingerprints", () => {
  const variants = [
    operation({}),
    operation({ operator: resolveOperator(dataTypeInfo("float32"), { op: "average" }) }),
    operation({ type: dataTypeInfo("float64") }),
    operation({ count: 2 }),
    operation({ count: 2 ** 32 + 1 }),
    operation({ kind: "allgather" }),
    operation({ kind: "broadcast", root: 0 }),
    operation({ kind: "broadcast", root: 1 }),
    operation({ algorithm: { ...DIRECT, code: 3 } }),
    operation({ details: "preScale 2" }),
    operation({ details: "preScale 3" }),
  ];
  const prints = variants.map((variant) => JSON.stringify(fingerprintOf(variant)));
  assert.equal(new Set(prints).size, prints.length);
});
