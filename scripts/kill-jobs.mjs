// Ends jobs at random moments and checks that each ends in 2 s, names the rank, and leaves nothing.
//   node scripts/kill-jobs.mjs [--kills 200] [--ranks 2] [--seed N] script [args...]
// By turns a rank is killed with SIGKILL and the launcher gets Ctrl-C's SIGINT. The seed is printed.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const MLSL = resolve(import.meta.dirname, "../packages/mlsl/bin/mlsl.js");
/** What the launcher promises. */
const END_LIMIT_MS = 2000;
/** A job that lives this long after its end was ordered has hung. */
const HANG_MS = 20_000;
/** Moments are spread over this time from the start: from before Node is up to deep in training. */
const SPREAD_MS = 4000;

/** Options come before the script; what follows it is the script's. */
const words = process.argv.slice(2);
let scriptAt = 0;
while (scriptAt < words.length && words[scriptAt].startsWith("--")) scriptAt += 2;
const positionals = words.slice(scriptAt);
const { values } = parseArgs({
  args: words.slice(0, scriptAt),
  options: {
    kills: { type: "string", default: "200" },
    ranks: { type: "string", default: "2" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
if (positionals.length === 0) {
  console.error(
    "Give the script of the jobs, for example packages/mlsl/dist/testing/fixtures/stepsMain.js 1000000",
  );
  process.exit(2);
}

let state = Number(values.seed);
/** The next number in [0, 1); a linear congruential generator with the constants of Numerical Recipes. */
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 4294967296;
}

/** The processes whose environment holds a mark, with the rank that each is, if any. */
function processesWith(mark) {
  const found = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const environ = readFileSync(join("/proc", pid, "environ"), "latin1");
      if (!environ.includes(mark) || Number(pid) === process.pid) continue;
      const rank = /(?:^|\0)MLSL_RANK=(\d+)/.exec(environ)?.[1];
      found.push({ pid: Number(pid), rank: rank === undefined ? undefined : Number(rank) });
    } catch {
      // ended between the listing and the reading
    }
  }
  return found;
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs one job, ends it at a random moment, and returns what is wrong with how it ended. */
async function endOne(index) {
  const mark = `MLSL_KILL_MARK=${process.pid}-${index}-${values.seed}`;
  const [name, value] = mark.split("=");
  const child = spawn(process.execPath, [MLSL, "run", "-n", values.ranks, ...positionals], {
    env: { ...process.env, [name]: value },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdout.resume();
  const ended = new Promise((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal, ms: performance.now() })),
  );
  const delayMs = random() * SPREAD_MS;
  const victimRank = Math.floor(random() * Number(values.ranks));
  const interrupt = index % 2 === 1;
  await wait(delayMs);
  let victim;
  // The rank may not have been started yet: look again until it has.
  while (!interrupt && child.exitCode === null && victim === undefined) {
    victim = processesWith(mark).find(({ rank }) => rank === victimRank);
    if (victim === undefined) await wait(10);
  }
  const killedMs = performance.now();
  if (interrupt) child.kill("SIGINT");
  else if (victim !== undefined) process.kill(victim.pid, "SIGKILL");
  const end = await Promise.race([ended, wait(HANG_MS).then(() => undefined)]);
  const wrong = [];
  if (end === undefined) {
    wrong.push(`hung for ${HANG_MS} ms`);
    for (const { pid } of processesWith(mark)) process.kill(pid, "SIGKILL");
  } else {
    const tookMs = end.ms - killedMs;
    if (tookMs > END_LIMIT_MS) wrong.push(`took ${tookMs.toFixed(0)} ms`);
    // Before the launcher has installed its handler, SIGINT ends it as any program.
    const expected = interrupt ? end.code === 130 || end.signal === "SIGINT" : end.code === 137;
    if (!expected) wrong.push(`ended with code ${end.code}, signal ${end.signal}`);
    if (!interrupt && !stderr.includes(`rank ${victimRank} was killed by SIGKILL`)) {
      wrong.push(`does not name rank ${victimRank}: ${stderr.trim()}`);
    }
  }
  const left = processesWith(mark);
  if (left.length > 0) wrong.push(`left ${left.length} processes`);
  const what = interrupt ? "SIGINT" : `SIGKILL of rank ${victimRank}`;
  return {
    what: `${what} after ${delayMs.toFixed(0)} ms`,
    wrong,
    tookMs: end === undefined ? HANG_MS : end.ms - killedMs,
  };
}

console.log(`${values.kills} jobs of ${values.ranks} ranks, seed ${values.seed}`);
const took = [];
let failed = 0;
for (let i = 0; i < Number(values.kills); i++) {
  const { what, wrong, tookMs } = await endOne(i);
  took.push(tookMs);
  if (wrong.length === 0) continue;
  failed++;
  console.log(`job ${i}, ${what}: ${wrong.join("; ")}`);
}
took.sort((a, b) => a - b);
const files = readdirSync("/dev/shm");
const median = took[Math.floor(took.length / 2)] ?? 0;
console.log(
  `ended after ${median.toFixed(0)} ms (median), ${(took.at(-1) ?? 0).toFixed(0)} ms (most)`,
);
console.log(`/dev/shm holds ${files.length} files`);
console.log(`${took.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
