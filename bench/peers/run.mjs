// Open MPI, MPICH, Gloo and this project's collectives, measured in turn on this machine.
//   npm run bench:peers -- [options]     see --help, and bench/README.md
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, release } from "node:os";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { BENCH_OPS } from "../../packages/mlsl/dist/bench/ops.js";
import { buildPrograms } from "./lib/build.mjs";
import { drawChart } from "./lib/chart.mjs";
import { installPackages, missingMessage, missingPackages, peerVersions } from "./lib/packages.mjs";
import { IDEAL, OPS, PEERS } from "./lib/peers.mjs";
import { bestLines, tablesOf } from "./lib/results.mjs";
import { listRuns } from "./lib/rounds.mjs";
import { runLines } from "./lib/runLines.mjs";
import { renderTable } from "./lib/table.mjs";

const MIB = 1024 * 1024;
const SOURCES = import.meta.dirname;
const ROOT = resolve(SOURCES, "../..");
/** What is compiled lies where no tool of the project looks. */
const BUILD = join(ROOT, "node_modules/.cache/bench-peers");
/** From one size to the next. */
const STEP = 4;
const CORES = availableParallelism();
const ORDER = PEERS.map(({ name }) => name);

function parseCount(text) {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("Expected a whole number above 0.");
  return Number(text);
}

function parseCounts(text) {
  return text.split(",").map(parseCount);
}

function parseOps(text) {
  const unknown = text.split(",").find((name) => !OPS.includes(name));
  if (unknown === undefined) return text.split(",");
  throw new InvalidArgumentError(`Expected some of ${OPS.join(", ")}, got "${unknown}".`);
}

function parsePattern(text) {
  try {
    return new RegExp(text);
  } catch {
    throw new InvalidArgumentError("Expected a regular expression.");
  }
}

function readOptions() {
  const count = (flags, text, value) =>
    new Option(flags, text).argParser(parseCount).default(value);
  const program = new Command("bench:peers")
    .description("measure Open MPI, MPICH and Gloo against mlsl on this machine")
    .option("--ranks <counts>", "how many ranks, as 2,4", parseCounts, [2])
    .addOption(new Option("--ops <names>", "operations").argParser(parseOps).default(OPS, "all"))
    .addOption(count("--min <bytes>", "smallest size", 4))
    .addOption(count("--max <bytes>", "largest size", 64 * MIB))
    .addOption(count("--rounds <count>", "how often everything is measured", 3))
    .addOption(count("--budget-ms <ms>", "time of the calls of one size", 150))
    .addOption(count("--limit-s <seconds>", "time of one peer for one operation", 120))
    .option("--peers <regex>", `which of ${ORDER.join(", ")}`, parsePattern, /./)
    .option("--limits", "measure also the ideal, and how near ours comes to it")
    .option("--json", "lines of JSON as they come, instead of tables")
    .option("--svg <file>", "draw a chart")
    .option("--install", "install missing Debian packages with apt-get");
  return program.parse().opts();
}

/** Whether a peer can be asked; says so once if an operation is not in this project yet. */
function makeKnows() {
  const told = new Set();
  return (peer, op, ranks) => {
    if (peer.name === IDEAL && (ranks > CORES || ranks < 2)) return false;
    if (peer.ours && !BENCH_OPS.includes(op)) {
      if (!told.has(op))
        console.error(`mlsl bench does not know ${op}: its peers alone are measured`);
      told.add(op);
      return false;
    }
    return peer.ops.includes(op);
  };
}

async function measureAll(options, onLine) {
  const { min, max, budgetMs, limitS, limits, peers } = options;
  const chosen = PEERS.filter(({ name }) => (name === IDEAL ? limits === true : peers.test(name)));
  const machine = { build: BUILD, root: ROOT, cores: CORES };
  for (const { round, ranks, op, peer } of listRuns(chosen, options, makeKnows())) {
    const name = `round ${round}, ${ranks} ranks, ${op}: ${peer.name}`;
    console.error(name);
    const task = { op, ranks, min, max, step: STEP, budgetMs };
    const problem = await runLines(peer.start(peer.name, task, machine), limitS * 1000, onLine);
    if (problem !== undefined) console.error(`${name} ${problem}`);
  }
}

async function main() {
  const options = readOptions();
  const missing = missingPackages();
  if (missing.length > 0 && options.install !== true) {
    console.error(missingMessage(missing));
    return 1;
  }
  if (missing.length > 0) installPackages(missing);
  buildPrograms(SOURCES, BUILD);
  const lines = [];
  await measureAll(options, (line) => {
    lines.push(line);
    if (options.json) console.log(JSON.stringify(line));
  });
  const best = bestLines(lines, CORES);
  if (options.svg !== undefined) writeFileSync(options.svg, drawChart(best, ORDER));
  if (options.json !== true) {
    console.log(`${cpus()[0]?.model}, ${CORES} cores; Linux ${release()}, Node ${process.version}`);
    console.log(`${peerVersions()}\n`);
    for (const table of tablesOf(best, ORDER)) console.log(renderTable(table));
  }
  return lines.length > 0 ? 0 : 1;
}

process.exitCode = await main();
