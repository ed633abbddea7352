// Every published package carries the licence, the notices and a README of its own or the root's.
//   node scripts/pack-files.mjs copy     before packing: copies them beside a package's package.json
//   node scripts/pack-files.mjs remove   after packing: removes what was copied
// npm runs both in the package's folder (prepack, postpack).
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const isCopy = (name) =>
  existsSync(name) &&
  existsSync(join(root, name)) &&
  readFileSync(name).equals(readFileSync(join(root, name)));

for (const name of ["LICENSE", "NOTICE", "README.md"]) {
  if (process.argv[2] === "remove") {
    if (isCopy(name)) rmSync(name);
  } else if (!existsSync(name) && existsSync(join(root, name))) {
    copyFileSync(join(root, name), name);
  }
}
