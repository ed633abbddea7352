import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { useWasmBackend } from "./setup.js";

test("Two calls at once start one backend, and a later call keeps its tensors", async () => {
  await Promise.all([useWasmBackend(), useWasmBackend()]);
  assert.equal(tf.getBackend(), "wasm");
  const x = tf.tensor1d([1, 2, 3]);
  await useWasmBackend();
  assert.deepEqual([...tf.sum(x).dataSync()], [6]);
});

test("Without the backend's package the error names it", () => {
  const folder = mkdtempSync(join(tmpdir(), "mlsl-setup-"));
  try {
    // The kernels and the core, and nothing else.
    cpSync(import.meta.dirname, join(folder, "kernels"), { recursive: true });
    const core = dirname(
      createRequire(import.meta.url).resolve("@tensorflow/tfjs-core/package.json"),
    );
    mkdirSync(join(folder, "node_modules/@tensorflow"), { recursive: true });
    symlinkSync(core, join(folder, "node_modules/@tensorflow/tfjs-core"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const program =
      'import { useWasmBackend } from "./kernels/setup.js";' +
      "await useWasmBackend().catch(({ message }) => console.log(message));";
    writeFileSync(join(folder, "program.js"), program);
    const printed = execFileSync(process.execPath, ["program.js"], {
      cwd: folder,
      encoding: "utf8",
      timeout: 30_000,
    });
    assert.match(printed, /: @tensorflow\/tfjs-backend-wasm is not installed; npm install it/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
