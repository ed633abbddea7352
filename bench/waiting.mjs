// What waiting costs: the figures behind the constants of collectives/requests/progress.ts and
// behind "Short waits do not count" in docs/architecture.md.
//   npm run build && node bench/waiting.mjs [--threads]
// Between 2 ranks: two questions for the time, beside an all-reduce of 4 bytes; and one wake with
// the sleep that it ends, when the ranks do nothing but wake each other. The lowest times of the
// latter are those of rounds in which the other rank was too quick for a sleep, hence the 10th
// percentile.
import { fileURLToPath } from "node:url";
import { init } from "../packages/mlsl/dist/bootstrap/init.js";
import { launch } from "../packages/mlsl/dist/launcher/launch.js";
import { loadNative } from "../packages/mlsl/dist/memory/native.js";
import { processParker, threadParker } from "../packages/mlsl/dist/memory/parker.js";

/** Questions that are timed together: one alone takes less than the clock resolves. */
const QUESTIONS = 1000;
const ROUNDS = 2000;
/** All-reduces are so short that it takes many until both ranks are compiled and in step. */
const REDUCTIONS = 20000;
/** A wake that is lost would be a defect; it must not hang the program. */
const SLEEP_LIMIT_MS = 1000;

if (process.env.MLSL_RANK === undefined) {
  const form = process.argv.includes("--threads") ? "threads" : "processes";
  const script = fileURLToPath(import.meta.url);
  process.exitCode = (await launch({ script, ranks: 2, form, prefix: false })).exitCode;
} else {
  await runRank();
}

async function runRank() {
  const { world, form } = await init();
  const word = world.allocate("float32", 1);
  const questions = timesUs(ROUNDS, () => {
    for (let i = 0; i < QUESTIONS; i++) performance.now();
  });
  const reductions = timesUs(REDUCTIONS, () => world.allreduceSync(word, word));
  const wakes = roundTripsUs(world, form);
  if (world.rank !== 0) return;
  console.log(`2 ${form}`);
  console.log(`asking the clock twice:  ${text(questions, 2 / QUESTIONS)}`);
  console.log(`all-reduce of 4 bytes:   ${text(reductions, 1)}`);
  console.log(`a sleep and its wake:    ${text(wakes, 1 / 2)}`);
}

function timesUs(count, call) {
  const times = Float64Array.from({ length: count }, () => {
    const beganMs = performance.now();
    call();
    return (performance.now() - beganMs) * 1000;
  });
  return times.sort();
}

function text(sorted, factor) {
  const at = (share) => (sorted[Math.floor(sorted.length * share)] * factor).toFixed(2);
  return `${at(0.1)} us at the 10th percentile, ${at(0.5)} in the median`;
}

/** Two ranks wake each other in turn and sleep in between, without looking first. */
function roundTripsUs(world, form) {
  const block = world.allocate("int32", 1);
  const address = Int32Array.of(block.byteOffset);
  world.broadcastSync(address);
  const words = new Int32Array(block.buffer);
  const parker = form === "threads" ? threadParker(words) : processParker(loadNative(), words);
  const [byteOffset] = address;
  const sleepUntil = (value) => {
    // Safe: the ranks write in turn, and a sleep ends at once if the word is no more as it was.
    while (Atomics.load(words, byteOffset / 4) !== value) {
      parker.sleep(byteOffset, value - 1, SLEEP_LIMIT_MS);
    }
  };
  const turn = (value) => {
    // Safe: see sleepUntil; the word changes before the wake.
    Atomics.store(words, byteOffset / 4, value);
    parker.wake(byteOffset);
  };
  let value = 0;
  return timesUs(ROUNDS, () => {
    if (world.rank === 0) {
      turn(value + 1);
      sleepUntil(value + 2);
    } else {
      sleepUntil(value + 1);
      turn(value + 2);
    }
    value += 2;
  });
}
