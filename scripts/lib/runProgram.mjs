// Runs a program out of a document, as a user would who copies it.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A document's program is short; a minute covers a slow machine. */
const TIMEOUT_MS = 60_000;

/** The environment without what would make the program a rank of some job. */
function plainEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("MLSL_")),
  );
}

/**
 * Runs one program in a single process; types are stripped. It lies in a folder inside the
 * project, so that its imports find the packages.
 *
 * @returns a finding, or undefined if the program ended well
 */
export function runProgram({ path, line, text }, folder) {
  mkdirSync(folder, { recursive: true });
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  const file = join(folder, `${path.replace(/[^\w.]/g, "_")}_${line}.mjs`);
  writeFileSync(file, outputText);
  const { status, signal, stderr, error } = spawnSync(process.execPath, [file], {
    cwd: folder,
    env: plainEnvironment(),
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  if (status === 0) return undefined;
  const ending =
    error?.code === "ETIMEDOUT"
      ? `did not end in ${TIMEOUT_MS} ms`
      : `failed (${signal ?? status})`;
  const told = stderr.trim().split("\n").slice(0, 12).join("\n    ");
  return { path, line, message: `this program ${ending}:\n    ${told}` };
}
