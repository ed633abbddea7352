import assert from "node:assert/strict";
import { test } from "node:test";
import { fuseMessages } from "./fuseMessages.js";
import { findNet, messageBytesOf, type Net } from "./nets.js";

const NET: Net = {
  name: "tiny",
  layers: [[8], [4, 2], [10], [3], [5, 1]].map((messages, i) => {
    return { name: `layer${i}`, messages, multiplyAdds: i };
  }),
  computeMs: 1,
  computeSource: "published",
};

test("gradients are collected from the last layer until there are enough, the rest at the first", () => {
  const { layers } = fuseMessages(NET, 9);
  assert.deepEqual(
    layers.map(({ messages }) => messages),
    [[14], [], [10], [9], []],
  );
  assert.deepEqual(
    layers.map(({ name }) => name),
    NET.layers.map(({ name }) => name),
  );
});

test("no byte is lost, and no message is shorter but the first layer's", () => {
  const net = findNet("resnet50");
  const fused = fuseMessages(net, 4e6);
  assert.equal(messageBytesOf(fused), messageBytesOf(net));
  const lengths = fused.layers.flatMap(({ messages }) => messages);
  assert.ok(lengths.length < 25);
  for (const bytes of lengths.slice(1)) assert.ok(bytes >= 4e6);
});
