import assert from "node:assert/strict";
import { test } from "node:test";
import { checkNotice, usedPackages } from "./lib/noticeRules.mjs";

test("run-time dependencies of packages count, tools of development do not", () => {
  const manifests = [
    { path: "package.json", manifest: { name: "root", devDependencies: { tool: "1" } } },
    {
      path: "packages/a/package.json",
      manifest: { name: "a", dependencies: { b: "1" }, optionalDependencies: { c: "1" } },
    },
    {
      path: "packages/d/package.json",
      manifest: { name: "d", dependencies: { a: "1" }, peerDependencies: { e: "1" } },
    },
    { path: "examples/package.json", manifest: { name: "x", devDependencies: { a: "1", f: "1" } } },
  ];
  assert.deepEqual([...usedPackages(manifests).keys()], ["b", "c", "e", "f"]);
});

test("NOTICE names every used package with its licence, and no other", () => {
  const used = new Map([["@a/b", "packages/a/package.json"]]);
  const check = (notice, licence = "MIT") =>
    checkNotice(notice, used, () => licence).map(({ line, message }) => `${line ?? 0} ${message}`);
  assert.deepEqual(check("Us\n- @a/b: MIT\n"), []);
  assert.match(check("Us\n")[0], /^0 @a\/b is not in NOTICE: add "- @a\/b: MIT"/);
  assert.match(check("Us\n- @a/b: ISC\n")[0], /^2 @a\/b is under MIT, not ISC/);
  assert.match(check("- @a/b: MIT\n- c: MIT")[0], /^2 c is not used/);
  assert.match(checkNotice("- @a/b: MIT", used, () => undefined)[0].message, /not installed/);
});
