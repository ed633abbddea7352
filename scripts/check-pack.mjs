// What npm would publish: the compiled code, the licence and a README are in, tests are out.
//   node scripts/check-pack.mjs     the packages must be built
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { report } from "./lib/files.mjs";

const root = resolve(import.meta.dirname, "..");

/** Paths in the package that npm would make of a folder, with its prepack and postpack steps. */
function packedPaths(folder) {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json"], {
    cwd: join(root, folder),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // Some versions of npm print the steps' banners before the JSON.
  const [packed] = Object.values(JSON.parse(output.slice(output.search(/^[[{]/m))));
  return packed.files.map(({ path }) => path);
}

/** Files that package.json promises: exports and commands. */
function promisedPaths(manifest) {
  const targets = (value) =>
    typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(targets);
  return [...targets(manifest.exports), ...targets(manifest.bin)].map((path) =>
    path.replace(/^\.\//, ""),
  );
}

function checkPackage(folder) {
  const path = `${folder}/package.json`;
  const manifest = JSON.parse(readFileSync(join(root, path), "utf8"));
  const packed = packedPaths(folder);
  const needed = [...promisedPaths(manifest), "LICENSE", "NOTICE", "README.md"];
  const stray = packed.filter((one) =>
    /\.test\.|\/(fixtures|testing)\/|\.tsbuildinfo$|^src\//.test(one),
  );
  return [
    ...needed
      .filter((one) => !packed.includes(one))
      .map((one) => ({
        path,
        message: `${one} would not be published: build it, or add it to files`,
      })),
    ...stray.map((one) => ({ path, message: `${one} would be published: exclude it in files` })),
    ...(manifest.license === "Apache-2.0" ? [] : [{ path, message: "license must be Apache-2.0" }]),
  ];
}

report("check-pack", ["packages/mlsl", "packages/tfjs"].flatMap(checkPackage));
