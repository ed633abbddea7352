// Checks the rules of style that Biome does not know: see lib/styleRules.mjs and lib/styleTables.mjs.
//   node scripts/check-style.mjs
import { resolve } from "node:path";
import { projectFiles, readText, report } from "./lib/files.mjs";
import { checkFiles } from "./lib/styleRules.mjs";

const root = resolve(import.meta.dirname, "..");
const files = projectFiles(root)
  .map((path) => ({ path, text: readText(root, path) }))
  .filter(({ text }) => text !== undefined);
report("check-style", checkFiles(files));
