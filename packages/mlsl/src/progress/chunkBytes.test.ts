import assert from "node:assert/strict";
import { test } from "node:test";
import { localRanks } from "../testing/localJob.js";
import { workerChunkBytes } from "./chunkBytes.js";

const COUNT = 100_003;

/** The bits of an average over three ranks whose addends round differently in any other order. */
async function averageWith(options: {
  workers: number;
  chunkBytes?: number;
}): Promise<Uint32Array> {
  const ranks = localRanks({ ranks: 3, arenaBytes: 4194304, ...options });
  const vectors = ranks.map(({ world }) => {
    const vector = world.allocate("float32", COUNT);
    for (let i = 0; i < COUNT; i++) vector[i] = 10 ** (((i * 7 + world.rank * 3) % 13) - 6) / 3;
    return vector;
  });
  const requests = ranks.map(({ world }, rank) => {
    return world.allreduceStart(vectors[rank]!, vectors[rank]!, { op: "average" });
  });
  await Promise.all(requests.map((request) => request.wait()));
  return new Uint32Array(vectors[2]!.slice().buffer);
}

test("results do not depend on the size of chunks", async () => {
  const inline = await averageWith({ workers: 0 });
  for (const chunkBytes of [4096, 65536, workerChunkBytes(undefined)]) {
    assert.deepEqual(await averageWith({ workers: 1, chunkBytes }), inline, `${chunkBytes}`);
  }
});

test("what was measured decides", () => {
  assert.equal(workerChunkBytes({ overheadMs: 0.001, bandwidthGBps: 4 }), 65536);
  assert.equal(workerChunkBytes({ overheadMs: 0.01, bandwidthGBps: 8 }), 1048576);
});
