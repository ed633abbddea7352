// Runs the tests: the compiled ones of the packages, and those of the scripts.
//   node scripts/test.mjs [words...]   only files whose path holds one of the words
// Node 20's --test takes no glob, so the files are listed here.
import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { runTests } from "./lib/runTests.mjs";

const root = resolve(import.meta.dirname, "..");
const roots = ["packages/mlsl/dist", "packages/tfjs/dist", "examples/dist", "scripts", "bench"];
// Folders whose tests start no ranks and use one thread: they may run side by side.
const SIDE_BY_SIDE = [
  "packages/mlsl/dist/bench",
  "packages/mlsl/dist/collectives",
  "packages/mlsl/dist/engine",
  "packages/mlsl/dist/errors",
  "packages/mlsl/dist/kernels",
  "packages/mlsl/dist/progress",
  "packages/mlsl/dist/schedules",
  "packages/mlsl/dist/simulation",
  "packages/mlsl/dist/testing/programs",
  "packages/mlsl/dist/testing/transport",
  "packages/tfjs/dist/kernels",
];
// Two minutes per file: the slowest takes a quarter of that on 2 cores.
const timeoutMs = 120_000;

const missing = roots.filter((folder) => !existsSync(join(root, folder)));
if (missing.length > 0) {
  console.error(`Cannot test: ${missing.join(", ")} not built, run npm run build first`);
  process.exit(1);
}
const words = process.argv.slice(2);
const files = roots
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(root, folder, name)),
  )
  .filter((file) => /\.test\.m?js$/.test(file))
  .filter((file) => words.length === 0 || words.some((word) => relative(root, file).includes(word)))
  .sort();
if (files.length === 0) {
  console.error(
    `No test file matches ${JSON.stringify(words)}: the tests live in ${roots.join(", ")}`,
  );
  process.exit(1);
}

const write = (text) => process.stdout.write(text);
const isSideBySide = (file) =>
  SIDE_BY_SIDE.some((folder) => relative(root, file).startsWith(`${folder}/`));
const { failed } = await runTests({
  files: files.filter((file) => !isSideBySide(file)),
  sideBySide: files.filter(isSideBySide),
  timeoutMs,
  write,
});
process.exitCode = failed === 0 ? 0 : 1;
