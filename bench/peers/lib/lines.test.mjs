import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLine } from "./lines.mjs";

const LINE = {
  peer: "mpich",
  op: "allreduce",
  bytes: 4,
  ranks: 2,
  iterations: 20000,
  min_us: 0.33,
  median_us: 0.36,
  p99_us: 0.7,
  algbw_GBps: 0.011,
  c2c_ns: 48,
};

test("a line of figures is read as it was printed", () => {
  assert.deepEqual(parseLine(JSON.stringify(LINE)), LINE);
});

test("remarks between the figures are passed over", () => {
  assert.equal(parseLine("By default, for Open MPI 4.0 and later …"), undefined);
  assert.equal(parseLine(""), undefined);
});

test("a line without an expected figure is refused by its name", () => {
  for (const name of Object.keys(LINE)) {
    const { [name]: _, ...rest } = LINE;
    assert.throws(
      () => parseLine(JSON.stringify(rest)),
      new RegExp(`^Error: Cannot read a result: a (string|number) "${name}" was expected`),
    );
  }
  assert.throws(() => parseLine(JSON.stringify({ ...LINE, median_us: "0.36" })), /"median_us"/);
});
