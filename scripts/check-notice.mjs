// Holds NOTICE against what the packages and examples use.
//   node scripts/check-notice.mjs     after npm ci, which brings the licences
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { projectFiles, readText, report } from "./lib/files.mjs";
import { checkNotice, usedPackages } from "./lib/noticeRules.mjs";

const root = resolve(import.meta.dirname, "..");
const manifests = projectFiles(root)
  .filter((path) => /(^|\/)package\.json$/.test(path))
  .map((path) => ({ path, manifest: JSON.parse(readText(root, path)) }));

/** The licence of an installed package: at the root, or in a workspace if versions differ. */
function licenceOf(name) {
  const folders = ["", ...manifests.map(({ path }) => path.replace(/package\.json$/, ""))];
  const path = folders
    .map((folder) => join(root, folder, "node_modules", name, "package.json"))
    .find((one) => existsSync(one));
  return path === undefined ? undefined : JSON.parse(readFileSync(path, "utf8")).license;
}

report("check-notice", checkNotice(readText(root, "NOTICE"), usedPackages(manifests), licenceOf));
