// Makes the WASM backend of TensorFlow.js the current one, with the training kernels.
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { getBackend, ready, setBackend } from "@tensorflow/tfjs-core";
import { BACKEND_NAME } from "./override.js";
import { registerTrainingKernels } from "./register.js";

const PACKAGE = "@tensorflow/tfjs-backend-wasm";

let starting: Promise<void> | undefined;

/**
 * Loads the WASM backend from the installed package, makes it current and registers the training
 * kernels. A second call does nothing new.
 * @throws Error If the package is not installed, its backend cannot start, or it is not of the tested
 *   version's shape
 */
export async function useWasmBackend(): Promise<void> {
  // The core drops a start that another one overtakes, so calls at the same time share one.
  starting ??= start().finally(() => {
    starting = undefined;
  });
  await starting;
}

async function start(): Promise<void> {
  if (getBackend() !== BACKEND_NAME) {
    await loadBackend();
    if (!(await setBackend(BACKEND_NAME))) {
      throw new Error(`Cannot start the backend of ${PACKAGE}: setBackend("wasm") failed`);
    }
  }
  await ready();
  registerTrainingKernels();
}

async function loadBackend(): Promise<void> {
  let folder: string;
  let wasm: typeof import("@tensorflow/tfjs-backend-wasm");
  try {
    // Resolved from this file, so a hoisted installation is found as well.
    folder = dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`));
    wasm = await import("@tensorflow/tfjs-backend-wasm");
  } catch (cause) {
    throw new Error(
      `Cannot load the WASM backend of TensorFlow.js: ${PACKAGE} is not installed; npm install it`,
      { cause },
    );
  }
  wasm.setWasmPaths(join(folder, "dist") + sep);
}
