// Runs the compiled tests with node:test, one process per file.
//   node scripts/test.mjs [words...]   only files whose path holds one of the words
// Node 20's --test takes no glob, and a leaked thread or timer must turn its file red as a
// time-out, so --test-force-exit is not used.
import { readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";

const root = resolve(import.meta.dirname, "..");
const roots = ["packages/mlsl/dist", "packages/tfjs/dist", "examples/dist"];
const words = process.argv.slice(2);
const files = roots
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(root, folder, name)),
  )
  .filter((file) => file.endsWith(".test.js"))
  .filter((file) => words.length === 0 || words.some((word) => relative(root, file).includes(word)))
  .sort();
if (files.length === 0) {
  console.error(
    `no test file matches ${JSON.stringify(words)}: the tests live in ${roots.join(", ")}`,
  );
  process.exit(1);
}

// Two minutes: the slowest file takes a quarter of that on 2 cores.
const timeout = 120_000;
const stream = run({ files, timeout, concurrency: 1 });
stream.on("test:fail", () => {
  process.exitCode = 1;
});
stream.compose(new spec()).pipe(process.stdout);
