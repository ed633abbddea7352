// Compiles each package's AssemblyScript kernels into a generated TypeScript module.
//   node scripts/build-kernels.mjs           write the generated files
//   node scripts/build-kernels.mjs --check   fail if a committed file differs from its source
// The bytes are committed so that users need no compiler, and CI proves that they match.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const common = [
  "--runtime",
  "stub",
  "--noAssert",
  "-O3",
  "--converge",
  "--importMemory",
  "--noExportMemory",
];

/** One WebAssembly module: where its source is, where its bytes go, what memory it is linked with. */
const modules = [
  {
    // Ranks of one host share this module's memory: hence shared, threads, and up to 4 GiB.
    source: "packages/mlsl/src/kernels/assembly/index.ts",
    target: "packages/mlsl/src/kernels/generated/wasm.ts",
    flags: [
      "--enable",
      "simd,threads",
      "--sharedMemory",
      "--initialMemory",
      "1",
      "--maximumMemory",
      "65536",
    ],
  },
  {
    // Linked with the memory of the TensorFlow.js WASM backend, which is not shared.
    source: "packages/tfjs/src/kernels/assembly/index.ts",
    target: "packages/tfjs/src/kernels/generated/wasm.ts",
    flags: ["--enable", "simd", "--initialMemory", "1"],
  },
];

function compile({ source, flags }) {
  const folder = mkdtempSync(join(tmpdir(), "mlsl-kernels-"));
  try {
    const wasm = join(folder, "kernels.wasm");
    const asc = join(root, "node_modules/assemblyscript/bin/asc.js");
    execFileSync(process.execPath, [asc, join(root, source), "-o", wasm, ...common, ...flags], {
      stdio: "inherit",
      cwd: folder,
    });
    return readFileSync(wasm);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function render({ source }, bytes) {
  const base64 = bytes.toString("base64").match(/.{1,88}/g) ?? [];
  const lines = base64.map((line) => `  "${line}",`).join("\n");
  return (
    `// Generated from ${source} by scripts/build-kernels.mjs. Do not edit.\n` +
    `/** The compiled kernels, ${bytes.length} bytes in base64. */\n` +
    `export const wasmBase64: string = [\n${lines}\n].join("");\n`
  );
}

let stale = 0;
for (const module of modules) {
  const text = render(module, compile(module));
  const target = join(root, module.target);
  if (!process.argv.includes("--check")) {
    writeFileSync(target, text);
  } else if (readFileSync(target, "utf8") !== text) {
    stale++;
    console.error(`${module.target} does not match ${module.source}: run npm run build:kernels`);
  }
}
process.exitCode = stale === 0 ? 0 : 1;
