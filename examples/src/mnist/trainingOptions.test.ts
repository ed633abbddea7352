import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { NET_NAMES, NETS } from "./nets.js";
import { addTrainingOptions, batchSizePerRank, toTrainingOptions } from "./trainingOptions.js";

const parse = (...args: string[]) =>
  toTrainingOptions(addTrainingOptions(new Command()).parse(args, { from: "user" }).opts());

test("each net has its own number of epochs unless told otherwise", () => {
  for (const net of NET_NAMES) assert.equal(parse("--net", net).epochs, NETS[net].epochs);
  assert.equal(parse("--net", "mlp", "--epochs", "2").epochs, 2);
});

test("digits come in whole batches", () => {
  for (const net of NET_NAMES) assert.equal(parse("--net", net).limit % NETS[net].batchSize, 0);
  assert.equal(parse("--limit", "128", "--net", "mlp").limit, 128);
  assert.throws(() => parse("--limit", "320", "--net", "mlp"), {
    name: "RangeError",
    message: /multiple of its batch of 128; use --limit 256$/,
  });
});

test("a batch is dealt evenly or not at all", () => {
  assert.equal(batchSizePerRank("lenet", 1), 64);
  assert.equal(batchSizePerRank("mlp", 128), 1);
  assert.throws(() => batchSizePerRank("lenet", 6), { name: "RangeError", message: /divisor/ });
});
