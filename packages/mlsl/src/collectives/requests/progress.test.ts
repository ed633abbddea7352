import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseKernels } from "../../kernels/chooseKernels.js";
import { soloSegment } from "../../memory/segment.js";
import { Host } from "../groups/host.js";
import { DEFAULT_CHOICES } from "../operations/choice.js";
import type { Entry } from "./channel.js";

const counters = { operations: 0, bytes: 0, exposedMs: 0 };

function entryOn(state: Entry["state"]): Entry {
  const channel = { counters, idle: false, progress: () => {}, expire: () => {} };
  const none = { reads: undefined, writes: undefined, failure: undefined };
  return { channel, timeoutMs: 1000, ...none, state, exposedMs: 0 };
}

test("what has settled is not pending any more, so that calls take the short way again", () => {
  const segment = soloSegment();
  const kernels = chooseKernels(segment.memory);
  const host = new Host({ segment, kernels, crowded: false, choices: DEFAULT_CHOICES });
  const { progress } = host;
  assert.equal(progress.hasPending, false);
  const entry = entryOn("running");
  progress.add(entry);
  assert.equal(progress.hasPending, true);
  entry.state = "done";
  assert.equal(progress.hasPending, false);
  const failed = entryOn("failed");
  progress.add(failed);
  assert.equal(progress.hasPending, false);
});
