// Which files the project consists of, and what the checks say about them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Git's own, and what installs, builds and runs make: the same as in .gitignore. */
const IGNORED = new Set([".git", "node_modules", "dist", "out", "coverage"]);
const IGNORED_ENDINGS = [".tsbuildinfo", ".tgz"];

/** Paths of all files of the project relative to the root, with "/" between folders, sorted. */
export function projectFiles(root, folder = "") {
  const files = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (IGNORED.has(entry.name)) continue;
    if (entry.isDirectory()) {
      files.push(...projectFiles(root, path));
    } else if (entry.isFile() && !IGNORED_ENDINGS.some((ending) => path.endsWith(ending))) {
      files.push(path);
    }
  }
  return files.sort();
}

/** A file's text; undefined if it is binary, which a zero byte tells as well as git's own test. */
export function readText(root, path) {
  const bytes = readFileSync(join(root, path));
  return bytes.includes(0) ? undefined : bytes.toString("utf8");
}

/** Prints findings as `file:line: what is wrong: what would be right` and sets the exit code. */
export function report(name, findings) {
  for (const { path, line, message } of findings) {
    console.error(line === undefined ? `${path}: ${message}` : `${path}:${line}: ${message}`);
  }
  if (findings.length > 0) {
    console.error(`${name}: ${findings.length} finding${findings.length === 1 ? "" : "s"}`);
    process.exitCode = 1;
  } else {
    console.log(`${name}: no findings`);
  }
}
