import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  chooseCores,
  chooseWorkerCores,
  computeThreadsFor,
  parseCpuList,
  parseCpuMax,
  readAllowedCores,
  workersFor,
} from "./cores.js";

test("a list of cores is read as the kernel writes it", () => {
  assert.deepEqual(parseCpuList("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
  assert.deepEqual(parseCpuList("5"), [5]);
});

test("any set of cores survives being written as ranges", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(500), { minLength: 1 }), (cores) => {
      const sorted = cores.toSorted((a, b) => a - b);
      const ranges: [number, number][] = [];
      for (const core of sorted) {
        const last = ranges.at(-1);
        if (last !== undefined && last[1] === core - 1) last[1] = core;
        else ranges.push([core, core]);
      }
      const text = ranges.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(",");
      assert.deepEqual(parseCpuList(text), sorted);
    }),
  );
});

test("what is no list of cores is refused", () => {
  for (const text of ["", "a", "3-1", "1,,2", "-1", "0-99999999", "1 2"]) {
    assert.throws(() => parseCpuList(text), { name: "RangeError", message: /list of cores/ });
  }
});

test("this process may run somewhere", () => {
  const cores = readAllowedCores();
  assert.ok(cores.length > 0);
  assert.equal(new Set(cores).size, cores.length);
});

test("a CPU limit is quota over period, and none where there is none", () => {
  assert.equal(parseCpuMax("150000 100000\n"), 1.5);
  for (const text of ["max 100000", "", "0 100000", "junk"]) {
    assert.equal(parseCpuMax(text), undefined);
  }
});

test("rank r gets the r-th allowed core, or nobody gets one", () => {
  assert.deepEqual(chooseCores([2, 3, 7], 2), [2, 3]);
  assert.deepEqual(chooseCores([2, 3, 7], 3), [2, 3, 7]);
  assert.deepEqual(chooseCores([2, 3], 3), [undefined, undefined, undefined]);
});

test("progress workers get the cores after those of the ranks, or none has one", () => {
  assert.deepEqual(chooseWorkerCores([2, 3, 7, 8, 9], 2, 1), [7, 8]);
  assert.deepEqual(chooseWorkerCores([2, 3, 7, 8, 9], 1, 3), [3, 7, 8]);
  assert.deepEqual(chooseWorkerCores([2, 3, 7], 2, 1), []);
  assert.deepEqual(chooseWorkerCores([], 2, 1), []);
  assert.deepEqual(chooseWorkerCores([0, 1], 1, 0), []);
});

test("a rank has a progress worker of its own accord where there are two cores for each", () => {
  assert.equal(workersFor("auto", 4, 2), 1);
  assert.equal(workersFor("auto", 3, 2), 0);
  assert.equal(workersFor(3, 1, 2), 3);
});

test("X-7: compute threads never outnumber the cores, unless there are more ranks", () => {
  assert.equal(computeThreadsFor(8, undefined, 2), 4);
  assert.equal(computeThreadsFor(8, 3.5, 2), 1);
  assert.equal(computeThreadsFor(8, 100, 3), 2);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 256 }),
      fc.option(fc.double({ min: 0.1, max: 300, noNaN: true }), { nil: undefined }),
      fc.integer({ min: 1, max: 64 }),
      (cores, quota, ranks) => {
        const threads = computeThreadsFor(cores, quota, ranks);
        assert.ok(Number.isInteger(threads) && threads >= 1);
        assert.ok(threads === 1 || threads * ranks <= Math.min(cores, quota ?? cores));
      },
    ),
  );
});
