// What package.json files promise, and no tool checks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const root = resolve(import.meta.dirname, "..");
const read = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const manifests = [
  "package.json",
  "packages/mlsl/package.json",
  "packages/tfjs/package.json",
  "examples/package.json",
];

test("mlsl depends on commander alone, and on koffi if it can", () => {
  const manifest = read("packages/mlsl/package.json");
  assert.deepEqual(Object.keys(manifest.dependencies), ["commander"]);
  assert.deepEqual(Object.keys(manifest.optionalDependencies), ["koffi"]);
  assert.equal(manifest.peerDependencies, undefined);
});

test("every dependency is pinned to one version", () => {
  for (const path of manifests) {
    const manifest = read(path);
    for (const kind of [
      "dependencies",
      "devDependencies",
      "optionalDependencies",
      "peerDependencies",
    ]) {
      for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
        assert.match(version, /^\d+\.\d+\.\d+$/, `${path}: ${name}`);
      }
    }
  }
});

test("all manifests agree on licence, module form and the oldest Node.js", () => {
  for (const path of manifests) {
    const { license, type, private: isPrivate, engines } = read(path);
    assert.equal(license, "Apache-2.0", path);
    assert.equal(type, "module", path);
    if (!isPrivate) assert.deepEqual(engines, { node: ">=20.19" }, path);
  }
});

test("published packages carry the licence when they are packed", () => {
  for (const path of ["packages/mlsl/package.json", "packages/tfjs/package.json"]) {
    const { scripts } = read(path);
    assert.equal(scripts.prepack, "node ../../scripts/pack-files.mjs copy", path);
    assert.equal(scripts.postpack, "node ../../scripts/pack-files.mjs remove", path);
  }
});
