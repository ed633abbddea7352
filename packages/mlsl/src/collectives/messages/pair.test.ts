import assert from "node:assert/strict";
import { test } from "node:test";
import { dataTypeInfo } from "../../memory/dataTypes.js";
import type { Channel } from "../requests/channel.js";
import { newMessage } from "./message.js";
import { messagesOf, PairEntry } from "./pair.js";

const channel: Channel = {
  counters: { operations: 0, bytes: 0, exposedMs: 0 },
  idle: true,
  progress: () => {},
  expire: () => {},
};

function newPair(): PairEntry {
  const part = (side: "send" | "recv") => {
    const buffer = new Float32Array(2);
    const type = dataTypeInfo("float32");
    return newMessage(channel, { side, peer: 1, tag: 0, type, buffer, timeoutMs: 50 });
  };
  return new PairEntry([part("send"), part("recv")]);
}

test("a pair is under way until both parts have settled, and failed if one has", () => {
  const states = ["queued", "running", "done", "failed"] as const;
  for (const first of states) {
    for (const second of states) {
      const pair = newPair();
      const [send, recv] = pair.parts;
      [send.state, recv.state] = [first, second];
      if (first === "failed") send.failure = new Error("send");
      if (second === "failed") recv.failure = new Error("recv");
      const isOver = [first, second].every((state) => state === "done" || state === "failed");
      const hasFailed = first === "failed" || second === "failed";
      assert.equal(pair.state, isOver ? (hasFailed ? "failed" : "done") : "running");
      const failure = isOver ? (send.failure ?? recv.failure) : undefined;
      assert.equal(pair.failure, failure);
    }
  }
});

test("a pair reads what it sends, writes what it receives, and stands for both", () => {
  const pair = newPair();
  const [send, recv] = pair.parts;
  assert.deepEqual([pair.reads, pair.writes], [send.buffer, recv.buffer]);
  assert.deepEqual([pair.channel, pair.timeoutMs], [channel, 50]);
  assert.deepEqual(messagesOf(pair), [send, recv]);
  assert.deepEqual(messagesOf(send), [send]);
});
