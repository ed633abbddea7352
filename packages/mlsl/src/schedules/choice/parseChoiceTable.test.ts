import assert from "node:assert/strict";
import { test } from "node:test";
import { MESSAGE_CHOICES, SHARED_MEMORY_CHOICES } from "./defaultTables.js";
import { parseChoiceTable } from "./parseChoiceTable.js";

function refused(json: unknown, message: string): void {
  assert.throws(
    () => parseChoiceTable(json),
    (error: Error) => {
      assert.equal(error.message, `Cannot read choice table: ${message}`);
      return error instanceof RangeError || error instanceof TypeError;
    },
  );
}

/** A table whose entry 1 has other fields. */
function withEntry(fields: object): unknown {
  const fine = { kind: "allreduce", algorithm: "ring" };
  return { version: 1, entries: [fine, { ...fine, ...fields }] };
}

test("a table comes back as it was written", () => {
  for (const table of [MESSAGE_CHOICES, SHARED_MEMORY_CHOICES]) {
    assert.deepEqual(parseChoiceTable(JSON.parse(JSON.stringify(table))), table);
  }
});

test("figures of progress workers come back as they were written, and are checked", () => {
  const workers = { overheadMs: 0.002, bandwidthGBps: 15 };
  const table = { version: 1, entries: [], workers };
  assert.deepEqual(parseChoiceTable(table), table);
  const over0 = (name: string, value: unknown) => {
    const given = value === undefined ? "nothing" : value;
    const message = `"${name}" of "workers" must be a number over 0, got ${given}`;
    refused({ ...table, workers: { ...workers, [name]: value } }, message);
  };
  over0("overheadMs", 0);
  over0("overheadMs", undefined);
  over0("bandwidthGBps", -1);
  refused({ ...table, workers: 1 }, '"workers" must be an object, got 1');
});

test("what is not a table is refused", () => {
  refused(null, "the table must be an object, got null");
  refused([], "the table must be an object, got []");
  refused({ version: 2, entries: [] }, '"version" must be 1, got 2');
  refused({ version: 1 }, '"entries" must be a list of at most 4096 entries, got nothing');
  refused(
    { version: 1, entries: new Array(4097).fill({}) },
    '"entries" must be a list of at most 4096 entries, got 4097',
  );
  refused(
    { version: 1, entries: [], more: 1 },
    'a field of the table must be one of version, entries, workers, got "more"',
  );
});

test("an entry is refused by its number, with what was expected and given", () => {
  refused({ version: 1, entries: ["ring"] }, 'entry 0 must be an object, got "ring"');
  refused(
    withEntry({ maxbytes: 1 }),
    "a field of entry 1 must be one of kind, minRanks, maxRanks, maxBytes, algorithm, " +
      'got "maxbytes"',
  );
  refused(
    withEntry({ algorithm: "bruck" }),
    '"algorithm" of entry 1 must be one of direct, ring, recursiveDoubling, halvingDoubling, ' +
      'doubleTree for allreduce, got "bruck"',
  );
  refused(
    withEntry({ minRanks: 0 }),
    '"minRanks" of entry 1 must be an integer from 1 to 1024, got 0',
  );
  refused(
    withEntry({ minRanks: 5, maxRanks: 4 }),
    '"maxRanks" of entry 1 must be an integer from 5 to 1024, got 4',
  );
  refused(
    withEntry({ maxBytes: 1.5 }),
    `"maxBytes" of entry 1 must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}, got 1.5`,
  );
  assert.throws(
    () => parseChoiceTable(withEntry({ kind: "allReduce" })),
    /"kind" of entry 1 must be one of barrier, .*, alltoallv, got "allReduce"$/,
  );
});

test("bytes that not every rank knows are no limit", () => {
  refused(
    withEntry({ kind: "alltoallv", algorithm: "linear", maxBytes: 100 }),
    '"maxBytes" of entry 1 must be absent, as not every rank knows those of alltoallv, got 100',
  );
});
