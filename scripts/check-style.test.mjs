import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFiles } from "./lib/styleRules.mjs";
import { UNTESTED } from "./lib/styleTables.mjs";

/** The lines of a file at which something is found that matches the pattern. */
function linesOf(path, text, pattern, others = []) {
  const files = [{ path, text }, ...others.map((other) => ({ path: other, text: "" }))];
  return checkFiles(files, {})
    .filter((finding) => finding.path === path && pattern.test(finding.message))
    .map(({ line }) => line);
}

/** Asserts that the first text is found at line 1 and that the others are not found. */
function tells(path, pattern, bad, ...good) {
  assert.deepEqual(linesOf(path, bad, pattern), [1], `missed: ${bad}`);
  for (const text of good) assert.deepEqual(linesOf(path, text, pattern), [], `blamed: ${text}`);
}

const SOURCE = "packages/mlsl/src/collectives/group.ts";
const TEST = "packages/mlsl/src/collectives/group.test.ts";
const ASSEMBLY = "packages/mlsl/src/kernels/assembly/sum.ts";

test("a file holds at most 500 lines, unless it is generated", () => {
  const long = "const a = 1;\n".repeat(501);
  assert.deepEqual(linesOf(SOURCE, long, /501 lines/), [501]);
  assert.deepEqual(linesOf(SOURCE, long.slice(13), /lines/), []);
  assert.deepEqual(linesOf("packages/mlsl/src/kernels/generated/wasm.ts", long, /lines/), []);
});

test("default exports, enums and export * are found", () => {
  tells(SOURCE, /default export/, "export default 1;", "export const a = 1;");
  tells(SOURCE, /default export/, "export default class A {}", `const text = "export default 1";`);
  tells(SOURCE, /default export/, "const a = 1; export { a as default };", "// export default 1");
  tells(SOURCE, /enum/, "export enum A { B }", "export type A = 'b';");
  tells(SOURCE, /enum/, "const enum A { B }", "const enumerate = 1;");
  tells(SOURCE, /export \*/, `export * from "./a.js";`, `export { a } from "./a.js";`);
});

test("marks of unfinished work are found in code and prose", () => {
  const mark = ["FIX", "ME"].join("");
  tells(SOURCE, /left over/, `// ${mark}: later`, "// fixed", "const template = 'XXXXXX';");
  tells("docs/a.md", /left over/, ["XX", "X"].join(""), "xxx");
  const task = ["TO", "DO"].join("");
  tells(SOURCE, /without an issue/, `// ${task} this`, `// ${task}(#12) this`);
});

test("marks that keep tests from running are found in tests only", () => {
  tells(TEST, /"only"/, `test.only("a", () => {});`, `test("a", () => {});`);
  tells(TEST, /"skip"/, `test("a", (t) => t.skip());`, `iterator.drop(1);`);
  tells(TEST, /"skip"/, `test("a", { skip: true }, () => {});`, `const a = { skip: 1 };`);
  assert.deepEqual(linesOf(SOURCE, "cursor.skip(4);", /"skip"/), []);
});

test("bit operations on sizes and offsets need their reason", () => {
  const fine = [
    "const flags = mask << 2;",
    "const index = Math.floor(byteOffset / 4);",
    "// bits: below 64 KiB by construction\nconst index = byteOffset >> 2;",
    "const index = byteOffset >> 2; // bits: below 64 KiB",
    `const text = "byteOffset >> 2";`,
    "const ahead = (Atomics.load(words, offset / 4) - phase) | 0;",
    "const low = words[offset] >>> 1;",
  ];
  tells(SOURCE, /keeps 32 bits/, "const index = byteOffset >> 2;", ...fine);
  tells(SOURCE, /keeps 32 bits/, "const segmentBytes = x | 0;", "const a = EXITED | code;");
  tells(SOURCE, /keeps 32 bits/, "const a = (chunk.length + 1) >>> 0;", "a >>> 0;");
  const masked = ["const rest = byteLength & 63;", "const low = flags & mask;"];
  tells(SOURCE, /"&"/, "const whole = (byteLength + 63) & ~63;", ...masked);
  tells(SOURCE, /"~"/, "const last = ~chunkBytes;", "const others = ~mask;");
  tells(SOURCE, /"\|="/, "byteOffset |= 1;", "flags |= 1;");
  tells(SOURCE, /keeps 32 bits/, "size <<= 1;", "// bits: safe\nsize <<= 1;");
  assert.deepEqual(linesOf(ASSEMBLY, "const a = offset << 2;", /32 bits/), []);
  assert.deepEqual(linesOf(TEST, "const a = offset << 2;", /32 bits/), []);
});

test("an atomic operation has a comment on its line or at most four lines above", () => {
  const fine = [
    "Atomics.store(a, 0, 1); // one writer",
    "// one writer\nAtomics.store(a, 0, 1);",
    "// one writer\n\n\n\nAtomics.store(a, 0, 1);",
    "/* a longer\nreason */\n\n\n\nAtomics.store(a, 0, 1);",
    `const text = "Atomics.load";`,
  ];
  tells(SOURCE, /atomic operation/, "Atomics.store(a, 0, 1);", ...fine);
  const far = "// one writer\n\n\n\n\nAtomics.store(a, 0, 1);";
  assert.deepEqual(linesOf(SOURCE, far, /atomic operation/), [6]);
  assert.deepEqual(linesOf(TEST, "Atomics.store(a, 0, 1);", /atomic/), []);
});

test("atomic operations of AssemblyScript are seen through its syntax", () => {
  const good = "// flag last\natomic.store<i32>(p, 1);";
  tells(ASSEMBLY, /atomic operation/, "atomic.store<i32>(p, 1);", good);
  tells(ASSEMBLY, /atomic operation/, "i32.atomic.rmw.add(p, 1);", "i32.add(p, 1);");
  const inside =
    "// @ts-ignore: decorator\n@inline\nfunction f(p: usize): void {\n\n\n\n atomic.notify(p, 1);\n}";
  assert.deepEqual(linesOf(ASSEMBLY, inside, /atomic operation/), [7]);
});

test("AssemblyScript obeys the limits that Biome checks elsewhere", () => {
  tells(ASSEMBLY, /parameters/, "function f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8): void {}");
  const excused =
    "// parameters: wasm has no structs\nfunction f(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8): void {}";
  assert.deepEqual(linesOf(ASSEMBLY, excused, /parameters/), []);
  tells(ASSEMBLY, /columns/, `const a = "${"a".repeat(100)}";`, `const a = "${"a".repeat(80)}";`);
  const body = `function f(): void {\n${"  g();\n".repeat(59)}}`;
  tells(ASSEMBLY, /function of 61 lines/, body, body.replace("  g();\n", ""));
});

test("a source with logic has its test beside it or a reason in the table", () => {
  const logic = "export function f(): number {\n  return 1;\n}\n";
  assert.deepEqual(linesOf(SOURCE, logic, /beside it/), [1]);
  assert.deepEqual(linesOf(SOURCE, logic, /beside it/, [TEST]), []);
  for (const text of ["export type A = 1;", "export const A = 1;", `export { a } from "./a.js";`]) {
    assert.deepEqual(linesOf(SOURCE, text, /beside it/), []);
  }
  assert.deepEqual(linesOf("packages/mlsl/src/cli/fixtures/rank.ts", logic, /beside it/), []);
  assert.deepEqual(linesOf("packages/mlsl/src/types/a.d.ts", logic, /beside it/), []);
});

test("the table of untested files excuses a file, and holds no entry that has no use", () => {
  const untested = { [SOURCE]: "run by another test" };
  const source = { path: SOURCE, text: "export const f = () => 1;" };
  const messages = (files) => checkFiles(files, untested).map(({ message }) => message);
  assert.deepEqual(messages([source]), []);
  assert.match(messages([source, { path: TEST, text: "" }])[0], /delete its entry/);
  assert.match(messages([])[0], /does not exist/);
});

test("every file in the table of untested files has its reason", () => {
  for (const [path, reason] of Object.entries(UNTESTED)) {
    assert.match(path, /^packages\/[^/]+\/src\/.*\.ts$/);
    assert.ok(reason.length > 20, `${path}: "${reason}" says too little`);
  }
});

test("relative imports go downwards and stay in their package", () => {
  const up = /imports upwards/;
  tells(
    SOURCE,
    up,
    `import { launch } from "../launcher/launch.js";`,
    `import { sum } from "../kernels/sum.js";`,
    `import { api } from "./api.js";`,
    `import { spawn } from "node:child_process";`,
  );
  tells(SOURCE, up, `export { launch } from "../launcher/launch.js";`);
  tells(SOURCE, up, `const a = await import("../cli/main.js");`);
  tells(SOURCE, up, `import type { A } from "../index.js";`);
  tells("packages/mlsl/src/memory/a.ts", up, `import { a } from "../kernels/a.js";`);
  assert.deepEqual(linesOf(TEST, `import { launch } from "../launcher/launch.js";`, up), []);
  assert.deepEqual(
    linesOf("packages/mlsl/src/index.ts", `export { a } from "./cli/a.js";`, up),
    [],
  );
  tells(SOURCE, /there for tests/, `import { job } from "../testing/job.js";`);
  assert.deepEqual(linesOf(TEST, `import { job } from "../testing/job.js";`, /tests/), []);
  const support = "packages/mlsl/src/testing/job.ts";
  assert.deepEqual(linesOf(support, `export const f = () => Atomics.load(a, 0);`, /./), []);
  tells(SOURCE, /leaves packages/, `import { a } from "../../../tfjs/src/index.js";`);
  tells("packages/mlsl/src/novel/a.ts", /layer "novel" is unknown/, "export const a = 1;");
});

test("the project speaks of itself alone", () => {
  const found = /one machine only/;
  const [home, user] = [["/ho", "me/"].join(""), ["/Us", "ers/"].join("")];
  tells("docs/a.md", found, `see ${home}anna/x`, "see https://example.org/home/anna", "src/home/a");
  tells("docs/a.md", found, `"${user}anna"`, "/dev/shm, /proc/self and /tmp");
  const host = `"resolved": "https://registry.example/a.tgz"`;
  tells("package-lock.json", /ties the lock/, host, `"resolved": "packages/mlsl"`);
});
