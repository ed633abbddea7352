// How much of an all-reduce progress workers hide behind a rank that does something else, and how
// long starting one takes: the figures behind the constants of progress/ and behind "Progress
// workers" in docs/architecture.md.
//   npm run build && node bench/overlap.mjs [--threads] [--workers n] [--mib n] [--json]
// Between 2 ranks:
// - alone: start and wait at once; hidden: the rank sleeps for twice as long in between, and what is
//   left to wait for is exposed. Sleeping stands for computing elsewhere: ranks and workers that
//   share cores would slow each other down.
// - start: of 4 bytes, while the worker sleeps, and while it is at work.

import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { init } from "../packages/mlsl/dist/bootstrap/init.js";
import { launch } from "../packages/mlsl/dist/launcher/launch.js";

/** Large all-reduces of each sort, after a few that warm up. */
const ROUNDS = 20;
const WARM_UP = 5;
/** Starts while the worker is at work; the first half warms up. */
const STARTS = 20000;
/** Starts before which the worker has gone to sleep: each waits for that. */
const SLEEPY_STARTS = 300;
const UNTIL_ASLEEP_MS = 3;
/** Starts that are under way together. */
const BURST = 20;

const { values } = parseArgs({
  options: {
    threads: { type: "boolean", default: false },
    workers: { type: "string", default: "1" },
    mib: { type: "string", default: "64" },
    json: { type: "boolean", default: false },
  },
});
const mib = Number(values.mib);

if (process.env.MLSL_RANK === undefined) {
  const form = values.threads ? "threads" : "processes";
  const arenaBytes = (mib + 8) * 1048576;
  const options = { script: fileURLToPath(import.meta.url), args: process.argv.slice(2) };
  const job = { ...options, ranks: 2, form, arenaBytes, prefix: false };
  const { exitCode } = await launch({ ...job, progressWorkers: Number(values.workers) });
  process.exitCode = exitCode;
} else {
  await runRank();
}

async function runRank() {
  const { world, form } = await init();
  const overlap = await overlapOf(world);
  const starts = await startsOf(world);
  if (world.rank !== 0) return;
  const results = { form, workers: Number(values.workers), mib, ...overlap, ...starts };
  if (values.json) console.log(JSON.stringify(results));
  else print(results);
}

async function overlapOf(world) {
  const vector = world.allocate("float32", mib * 262144);
  const request = world.allreducePersistent(vector, vector);
  const alone = [];
  const exposed = [];
  const spent = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    world.barrierSync();
    const beganMs = performance.now();
    request.start().waitSync();
    const aloneMs = performance.now() - beganMs;
    world.barrierSync();
    request.start();
    await sleep(2 * aloneMs + 5);
    const waitMs = performance.now();
    request.waitSync();
    if (round < WARM_UP) continue;
    alone.push(aloneMs);
    exposed.push(performance.now() - waitMs);
    spent.push(request.statistics);
  }
  world.free(vector);
  const aloneMs = median(alone);
  const exposedMs = median(exposed);
  const share = 1 - exposedMs / aloneMs;
  const least = 1 - Math.max(...exposed) / aloneMs;
  const reducingMs = median(spent.map((one) => one.reducingMs));
  const movingMs = median(spent.map((one) => one.movingMs));
  return { aloneMs, exposedMs, hiddenShare: share, leastHidden: least, reducingMs, movingMs };
}

async function startsOf(world) {
  const words = Array.from({ length: BURST }, () => world.allocate("float32", 1));
  const requests = words.map((word) => world.allreducePersistent(word, word));
  let awake = [];
  for (let i = 0; i < STARTS / BURST; i++) {
    world.barrierSync();
    for (const request of requests) awake.push(timeUs(() => request.start()));
    for (const request of requests) request.waitSync();
  }
  awake = awake.slice(STARTS / 2);
  const asleep = [];
  for (let i = 0; i < SLEEPY_STARTS; i++) {
    await sleep(UNTIL_ASLEEP_MS);
    asleep.push(timeUs(() => requests[0].start()));
    requests[0].waitSync();
  }
  return {
    startUs: { least: Math.min(...awake), median: median(awake) },
    startAsleepUs: { least: Math.min(...asleep), median: median(asleep) },
  };
}

function timeUs(call) {
  const beganMs = performance.now();
  call();
  return (performance.now() - beganMs) * 1000;
}

function median(times) {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

function print(results) {
  const { form, workers, aloneMs, exposedMs, hiddenShare, leastHidden } = results;
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const us = ({ least, median: middle }) =>
    `${least.toFixed(2)} us at least, ${middle.toFixed(2)} in the median`;
  console.log(`2 ${form} with ${workers} progress workers each, all-reduce of ${mib} MiB`);
  console.log(`alone:                        ${aloneMs.toFixed(2)} ms`);
  console.log(`exposed beside a sleeper:     ${exposedMs.toFixed(3)} ms`);
  console.log(
    `hidden:                       ${percent(hiddenShare)}, at least ${percent(leastHidden)}`,
  );
  console.log(`start, the worker at work:    ${us(results.startUs)}`);
  console.log(`start, the worker asleep:     ${us(results.startAsleepUs)}`);
}
