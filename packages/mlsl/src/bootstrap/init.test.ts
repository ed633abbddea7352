import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { init } from "./init.js";

const INIT = new URL("./init.js", import.meta.url).href;

/** Runs init() in a process of its own with other variables; returns what it printed. */
function initWith(env: Record<string, string>): string {
  const program = `
    const { init } = await import(${JSON.stringify(INIT)});
    try {
      const { world, form } = await init();
      console.log(form, world.rank, world.ranks, world.timeoutMs);
    } catch (error) {
      console.log(error.name + ": " + error.message);
    }`;
  const args = ["--input-type=module", "-e", program];
  return execFileSync(process.execPath, args, {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
}

test("init makes a job of one rank when no launcher started the process, once", async () => {
  const environment = await init();
  assert.equal(environment.form, "solo");
  assert.deepEqual([environment.world.rank, environment.world.ranks], [0, 1]);
  assert.ok(environment.computeThreads >= 1);
  assert.equal(await init(), environment);
});

test("a job of one rank has every collective", async () => {
  const { world } = await init();
  const array = world.allocate("float32", 3);
  array.set([1, 2, 3]);
  await world.allreduce(array, array, { op: "average" });
  assert.deepEqual(Array.from(array), [1, 2, 3]);
  const outside = new Float64Array(5000).fill(2);
  const result = new Float64Array(5000);
  world.allreduceSync(outside, result);
  world.broadcastSync(outside);
  world.allgatherSync(outside, result);
  world.barrierSync();
  assert.ok(result.every((x) => x === 2));
  world.free(array);
});

test("init takes the time limit of waits from MLSL_TIMEOUT_MS", () => {
  assert.equal(initWith({ MLSL_TIMEOUT_MS: "1234" }), "solo 0 1 1234\n");
  assert.match(initWith({ MLSL_TIMEOUT_MS: "soon" }), /^RangeError: .*"soon" was given/);
});

test("init says what is missing when the variables promise more than there is", () => {
  const place = { MLSL_RANK: "0", MLSL_RANKS: "2" };
  assert.match(initWith(place), /^Error: .*handed over no segment; start the script with mlsl run/);
  const segment = { ...place, MLSL_SEGMENT_FD: "3", MLSL_SEGMENT_BYTES: "1048576" };
  const child = { ...segment, MLSL_LAUNCHER_PID: "1" };
  assert.match(initWith(child), /^Error: .*process was started by the rank, not by the launcher/);
  const ours = { ...segment, MLSL_LAUNCHER_PID: String(process.pid), MLSL_NO_KOFFI: "1" };
  assert.match(initWith(ours), /^Error: .*need koffi; npm install koffi, or/);
  assert.match(initWith({ MLSL_RANK: "5", MLSL_RANKS: "2" }), /^RangeError: .*must be below/);
  assert.match(initWith({ MLSL_KERNELS: "fast" }), /^RangeError: .*must be wasm or plain/);
});
