import assert from "node:assert/strict";
import { test } from "node:test";
import { bestLines, groupOf, tablesOf } from "./results.mjs";

const CORES = 2;
const ORDER = ["openmpi", "mpich", "mlsl-processes-outside", "mlsl-processes", "ideal"];

function line(peer, median_us, rest = {}) {
  return { peer, op: "allreduce", bytes: 4, ranks: 2, median_us, c2c_ns: 200, ...rest };
}

test("figures are near or far by the distance of the cores, unless ranks outnumber them", () => {
  assert.equal(groupOf({ ranks: 2, c2c_ns: 27 }, CORES), "near");
  assert.equal(groupOf({ ranks: 2, c2c_ns: 74 }, CORES), "near");
  assert.equal(groupOf({ ranks: 2, c2c_ns: 75 }, CORES), "far");
  assert.equal(groupOf({ ranks: 4, c2c_ns: 27 }, CORES), "crowded");
  assert.equal(groupOf({ ranks: 4, c2c_ns: 27 }, 4), "near");
});

test("the best median of the rounds is taken, with its own distance", () => {
  const lines = [
    line("mpich", 3),
    line("mpich", 2, { c2c_ns: 180 }),
    line("mpich", 2.5),
    line("mpich", 1, { c2c_ns: 30 }),
    line("mpich", 9, { bytes: 16 }),
  ];
  assert.deepEqual(
    bestLines(lines, CORES).map(({ group, bytes, median_us, c2c_ns }) => [
      group,
      bytes,
      median_us,
      c2c_ns,
    ]),
    [
      ["far", 4, 2, 180],
      ["near", 4, 1, 30],
      ["far", 16, 9, 200],
    ],
  );
});

test("the ratio is the best rival's time over ours, in one group", () => {
  const lines = [
    line("openmpi", 6),
    line("mpich", 3),
    line("mlsl-processes-outside", 1),
    line("mlsl-processes", 2),
    line("ideal", 0.5),
    line("mpich", 0.1, { c2c_ns: 30 }),
  ];
  const [far, near] = tablesOf(bestLines(lines, CORES), ORDER);
  assert.deepEqual([far.ranks, far.op, far.group, far.peers], [2, "allreduce", "far", ORDER]);
  assert.equal(far.rows[0].rival, "mpich");
  assert.equal(far.rows[0].ratio, 1.5);
  assert.equal(far.rows[0].idealPercent, 25);
  assert.deepEqual(near.peers, ["mpich"]);
  assert.equal(near.rows[0].ratio, undefined);
  assert.equal(near.rows[0].idealPercent, undefined);
});

test("a group without the fastest rival gives no ratio", () => {
  const near = { c2c_ns: 30 };
  const lines = [line("openmpi", 6), line("mpich", 3), line("mlsl-processes", 2)];
  lines.push(line("openmpi", 4, near), line("mlsl-processes", 1, near));
  const ratios = (more) => {
    return tablesOf(bestLines([...lines, ...more], CORES), ORDER).map(({ rows }) => rows[0].ratio);
  };
  assert.deepEqual(ratios([]), [1.5, undefined]);
  assert.deepEqual(ratios([line("mpich", 2, near)]), [1.5, 2]);
});

test("without a rival or without ours there is no ratio", () => {
  const [alone] = tablesOf(bestLines([line("mlsl-processes", 2)], CORES), ORDER);
  assert.equal(alone.rows[0].rival, undefined);
  assert.equal(alone.rows[0].ratio, undefined);
});

test("tables are sorted by ranks and operation, and their rows by size", () => {
  const lines = [
    line("mpich", 7, { ranks: 4 }),
    line("mpich", 8, { op: "broadcast" }),
    line("mpich", 5, { bytes: 64 }),
    line("mpich", 4, { bytes: 16 }),
  ];
  assert.deepEqual(
    tablesOf(bestLines(lines, CORES), ORDER).map(({ ranks, op, rows }) => [
      ranks,
      op,
      rows.map(({ bytes }) => bytes),
    ]),
    [
      [2, "allreduce", [16, 64]],
      [2, "broadcast", [4]],
      [4, "allreduce", [4]],
    ],
  );
});
