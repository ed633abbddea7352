import assert from "node:assert/strict";
import { test } from "node:test";
import { DATA_TYPES, type DataType } from "../memory/dataTypes.js";
import { OP_CODES } from "./kernels.js";
import { type ReductionOperator, reductionExists } from "./reductions.js";

test("floats and integers have the operators that make sense for them", () => {
  const both = ["sum", "min", "max", "product"];
  const floats = [...both, "average", "scaled"];
  const integers = [...both, "and", "or", "xor", "averageFloor", "averageTruncate"];
  integers.push("averageNearest", "saturatingSum");
  for (const { name, family } of DATA_TYPES) {
    const expected = family === "float" ? floats : integers;
    const operators = Object.keys(OP_CODES) as ReductionOperator[];
    const actual = operators.filter((op) => reductionExists(name, op));
    assert.deepEqual(actual.toSorted(), expected.toSorted(), name);
  }
});

test("a type that there is not is refused by name", () => {
  assert.throws(() => reductionExists("float8" as DataType, "average"), /Unknown data type/);
});

test("codes of operators stand in memory that others read: they never change", () => {
  assert.deepEqual(Object.values(OP_CODES), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});
