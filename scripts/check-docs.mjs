// Holds the documents against the code: links, anchors, scripts, programs, variables, error codes.
//   node scripts/check-docs.mjs     the packages must be built, because programs are run
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  checkLinks,
  checkNames,
  checkScripts,
  docExamples,
  REQUIRED,
  runnableBlocks,
} from "./lib/docRules.mjs";
import { projectFiles, readText, report } from "./lib/files.mjs";
import { runProgram } from "./lib/runProgram.mjs";

const root = resolve(import.meta.dirname, "..");
const paths = projectFiles(root);
const read = (pattern) =>
  paths.filter((path) => pattern.test(path)).map((path) => ({ path, text: readText(root, path) }));

const documents = read(/\.md$/);
const isShipped = ({ path }) =>
  !/\.test\.m?[jt]s$|\/(fixtures|testing|generated|assembly)\//.test(path);
const sources = read(/^packages\/[^/]+\/(src\/.*\.ts|bin\/.*\.js)$/).filter(isShipped);
const others = read(/^(examples\/src\/.*\.ts|scripts\/.*\.mjs)$/).filter(isShipped);
const { scripts } = JSON.parse(readText(root, "package.json"));

const examples = sources.map(docExamples);
const programs = [...documents.flatMap(runnableBlocks), ...examples.flatMap((one) => one.programs)];
const folder = join(root, "out/docs");
rmSync(folder, { recursive: true, force: true });
report("check-docs", [
  ...REQUIRED.filter((path) => !paths.includes(path)).map((path) => ({
    path,
    message: "this document is missing: write it",
  })),
  ...checkLinks(documents, (path) => existsSync(join(root, path))),
  ...checkScripts(documents, scripts),
  ...checkNames(documents, sources, others),
  ...examples.flatMap((one) => one.findings),
  ...programs.map((program) => runProgram(program, folder)).filter((one) => one !== undefined),
]);
