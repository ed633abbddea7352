import assert from "node:assert/strict";
import { test } from "node:test";
import {
  namesParser,
  parseAlgorithms,
  parseRankCounts,
  parseSize,
  parseSizes,
  parseStep,
  sizesBetween,
} from "./benchValues.js";

test("sizes have units of 1024 and are put in order", () => {
  assert.deepEqual(parseSizes("1M,4,64k,2G,4"), [4, 65536, 1048576, 2147483648]);
  assert.equal(parseSize("4G"), 4294967296);
  for (const bad of ["", "0", "-4", "1.5K", "4 K", "1KB", "5G", "x"]) {
    assert.throws(() => parseSizes(bad), /Expected bytes from 1 to 4G like 4, 64K or 1M, got "/);
  }
  const many = Array.from({ length: 65 }, (_, i) => i + 1).join(",");
  assert.throws(() => parseSizes(many), /at most 64 sizes, got 65/);
});

test("sizes between two are multiples, in whole bytes", () => {
  assert.deepEqual(sizesBetween(4, 64, 4), [4, 16, 64]);
  assert.deepEqual(sizesBetween(5, 21, 2), [5, 10, 20]);
  assert.deepEqual(sizesBetween(4, 14, 1.5), [4, 6, 9, 13]);
  assert.equal(sizesBetween(1, 4294967296, 1.0001).length, 64);
});

test("a step leads on", () => {
  assert.equal(parseStep("1.5"), 1.5);
  for (const bad of ["1", "0", "-2", "", "Infinity", "two"]) {
    assert.throws(() => parseStep(bad), /factor above 1 like 2 or 4, got "/);
  }
});

test("lists name each thing once", () => {
  assert.deepEqual(parseRankCounts("2,4,2"), [2, 4]);
  assert.throws(() => parseRankCounts("2,"), /whole number of at least 1/);
  const parse = namesParser(["sum", "max"]);
  assert.deepEqual(parse("max,sum,max"), ["max", "sum"]);
  assert.throws(() => parse("sum,mean"), /Expected some of sum, max, got "mean"/);
  assert.deepEqual(parseAlgorithms("ring,direct,ring"), ["ring", "direct"]);
  assert.equal(parseAlgorithms("all"), "all");
  for (const bad of ["", "direct,", "all,ring"]) {
    assert.throws(() => parseAlgorithms(bad), /Expected all, or names like direct,ring, got "/);
  }
});
