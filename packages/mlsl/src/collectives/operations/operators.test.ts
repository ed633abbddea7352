import assert from "node:assert/strict";
import { test } from "node:test";
import { OP_CODES } from "../../kernels/kernels.js";
import { reductionExists } from "../../kernels/reductions.js";
import { DATA_TYPES, dataTypeInfo } from "../../memory/dataTypes.js";
import type { ReduceOptions } from "../options.js";
import { defineOperator, operatorName, resolveOperator } from "./operators.js";

/** The options that name each kernel, and the words for it in messages. */
const NAMES: Readonly<Record<keyof typeof OP_CODES, readonly [ReduceOptions, string]>> = {
  sum: [{ op: "sum" }, "sum"],
  average: [{ op: "average" }, "average"],
  min: [{ op: "min" }, "min"],
  max: [{ op: "max" }, "max"],
  product: [{ op: "product" }, "product"],
  and: [{ op: "and" }, "and"],
  or: [{ op: "or" }, "or"],
  xor: [{ op: "xor" }, "xor"],
  scaled: [{ op: "average", postScale: 3 }, "average"],
  averageFloor: [{ op: "average", rounding: "floor" }, "average (rounding floor)"],
  averageTruncate: [{ op: "average", rounding: "truncate" }, "average (rounding truncate)"],
  averageNearest: [{ op: "average", rounding: "nearest" }, "average (rounding nearest)"],
  saturatingSum: [{ overflow: "saturate" }, "sum (overflow saturate)"],
};

test("options name a kernel of the type, or are refused", () => {
  for (const type of DATA_TYPES) {
    for (const [kernel, [options, words]] of Object.entries(NAMES)) {
      // Floats need neither rounding nor overflow; there these options choose nothing.
      if (type.family === "float" && /average.|saturating/.test(kernel)) continue;
      if (!reductionExists(type.name, kernel as keyof typeof NAMES)) {
        assert.throws(() => resolveOperator(type, options), TypeError, `${type.name} ${kernel}`);
        continue;
      }
      const operator = resolveOperator(type, options);
      assert.equal(operator.kernel, kernel);
      assert.equal(operator.code, OP_CODES[operator.kernel!]);
      assert.equal(operator.divides, words.startsWith("average"));
      assert.equal(operatorName(operator.code, operator.details), words);
    }
  }
});

test("factors are part of what ranks must agree on, each zero by its sign", () => {
  const details = (options: ReduceOptions) =>
    resolveOperator(dataTypeInfo("float32"), options).details;
  assert.equal(details({ preScale: 1, postScale: 1 }), "");
  assert.equal(details({ preScale: 0.5 }), "sum with preScale 0.5 and postScale 1");
  assert.equal(details({ preScale: 0 }), "sum with preScale 0 and postScale 1");
  assert.equal(details({ postScale: -0 }), "sum with preScale 1 and postScale -0");
});

test("operators of users are told by their name, and need a name and a function", () => {
  const op = defineOperator("gcd", () => {});
  const operator = resolveOperator(dataTypeInfo("uint32"), { op });
  assert.equal(operator.kernel, undefined);
  assert.equal(operator.details, 'operator "gcd"');
  assert.equal(operatorName(operator.code, operator.details), "by the user's operator");
  for (const name of ["", "x".repeat(65), 5]) {
    assert.throws(() => defineOperator(name as string, () => {}), /a name of 1 to 64 characters/);
  }
  assert.throws(
    () => defineOperator("none", undefined as never),
    /^TypeError: Cannot define operator "none": combine must be a function$/,
  );
});

test("a code that no kernel has is told as such", () => {
  assert.equal(operatorName(200, ""), "operator 200");
});
