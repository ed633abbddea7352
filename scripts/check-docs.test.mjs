import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  checkLinks,
  checkNames,
  checkScripts,
  docExamples,
  namesIn,
  runnableBlocks,
} from "./lib/docRules.mjs";
import { anchors, fencedBlocks, relativeLinks, slug } from "./lib/markdown.mjs";
import { runProgram } from "./lib/runProgram.mjs";

const fence = "```";

test("fenced blocks keep their text, their info and their line", () => {
  const text = `a\n${fence}js run\nx();\n${fence}\n  ${fence}sh\n  ls\n    -l\n  ${fence}\n`;
  assert.deepEqual(fencedBlocks(text), [
    { line: 2, info: "js run", text: "x();" },
    { line: 5, info: "sh", text: "ls\n  -l" },
  ]);
});

test("a longer fence holds a shorter one", () => {
  const blocks = fencedBlocks(`${fence}\`md\n${fence}js\n${fence}\n${fence}\`\n`);
  assert.deepEqual(blocks, [{ line: 1, info: "md", text: `${fence}js\n${fence}` }]);
});

test("anchors follow GitHub's rule", () => {
  assert.equal(slug("Same bits, always: `deterministic`"), "same-bits-always-deterministic");
  assert.equal(slug("1.2 How [it](a.md) works"), "12-how-it-works");
  const text = `# A b\n## A b\n<a id="own"></a>\n${fence}\n# code\n${fence}\n`;
  assert.deepEqual([...anchors(text)], ["a-b", "a-b-1", "own"]);
});

test("links are found where they are links", () => {
  const text = `[a](b.md#c) ![d](e.svg "f") \`[g](h)\` <img src="i.png"> [j](https://example.org)\n[k]: l.md`;
  const targets = relativeLinks(text).map(({ line, target }) => [line, target]);
  assert.deepEqual(targets, [
    [1, "b.md#c"],
    [1, "e.svg"],
    [1, "i.png"],
    [2, "l.md"],
  ]);
});

test("a link leads to a file of the project and to a heading in it", () => {
  const exists = (path) => ["docs/a.md", "docs", "README.md"].includes(path);
  const check = (link) =>
    checkLinks(
      [
        { path: "docs/a.md", text: `# Here\n[x](${link})` },
        { path: "README.md", text: "# There" },
      ],
      exists,
    ).map(({ line, message }) => `${line} ${message}`);
  for (const good of ["a.md", "#here", "../README.md#there", "../docs/", "."]) {
    assert.deepEqual(check(good), [], good);
  }
  assert.match(check("b.md")[0], /^2 .*no docs\/b\.md/);
  assert.match(check("../../x.md")[0], /leads nowhere/);
  assert.match(check("#there")[0], /no heading #there in docs\/a\.md/);
  assert.match(check("../README.md#here")[0], /no heading #here in README\.md/);
});

test("scripts that a document names exist", () => {
  const check = (text) =>
    checkScripts([{ path: "a.md", text }], { test: "", "docs:check": "" }).length;
  assert.equal(check("`npm run docs:check`, then npm test."), 0);
  assert.equal(check("npm run --silent docs:check"), 0);
  assert.equal(check("npm run docs"), 1);
  assert.equal(check("npm start"), 1);
});

test("only blocks marked run are programs", () => {
  const text = `${fence}js\na\n${fence}\n${fence}ts run\nb\n${fence}\n${fence}sh run\nc\n${fence}\n`;
  assert.deepEqual(runnableBlocks({ path: "a.md", text }), [{ path: "a.md", line: 4, text: "b" }]);
});

test("programs are taken out of @example tags", () => {
  const doc = (body) => `/**\n * A.\n *\n * @example\n${body} */\nexport const a = 1;\n`;
  const good = doc(` * ${fence}ts\n * import { a } from "@mlsl/a";\n *   a * 2;\n * ${fence}\n`);
  const program = { path: "a.ts", line: 5, text: `import { a } from "@mlsl/a";\n  a * 2;` };
  assert.deepEqual(docExamples({ path: "a.ts", text: good }), {
    programs: [program],
    findings: [],
  });
  const bare = docExamples({ path: "a.ts", text: doc(" * a * 2;\n") });
  assert.match(bare.findings[0].message, /without a fenced block/);
});

test("error codes and variables are told apart, and comments do not count", () => {
  const text = [
    `class E { readonly code = "MLSL_LOST"; }`,
    `const NAMES = { rank: "MLSL_RANK" } as const;`,
    "throw new Error(`raise MLSL_LIMIT_MS on $" + "{x}`);",
    "process.env.MLSL_OFF;",
    "// MLSL_COMMENT",
  ].join("\n");
  const names = namesIn({ path: "a.ts", text }).map(({ name, isCode, line }) => [
    name,
    isCode,
    line,
  ]);
  assert.deepEqual(names, [
    ["MLSL_LOST", true, 1],
    ["MLSL_RANK", false, 2],
    ["MLSL_LIMIT_MS", false, 3],
    ["MLSL_OFF", false, 4],
  ]);
});

test("what the code reads is described, and what is described is read", () => {
  const source = { path: "a.ts", text: `const a = process.env.MLSL_A; const code = "MLSL_E";` };
  const check = (environment, errors, others = []) =>
    checkNames(
      [
        { path: "docs/environment.md", text: environment },
        { path: "docs/errors.md", text: errors },
      ],
      [source],
      others,
    ).map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(check("`MLSL_A`", "MLSL_E, see MLSL_A"), []);
  assert.match(check("", "MLSL_E")[0], /^a\.ts: variable MLSL_A is not in docs\/environment/);
  assert.match(check("MLSL_A", "")[0], /^a\.ts: error code MLSL_E is not in docs\/errors/);
  assert.match(check("MLSL_A MLSL_B", "MLSL_E")[0], /^docs\/environment\.md: MLSL_B is described/);
  const script = { path: "b.ts", text: "process.env.MLSL_B" };
  assert.deepEqual(check("MLSL_A MLSL_B", "MLSL_E", [script]), []);
});

test("a program is run with its types stripped, and its failure is told", () => {
  const folder = mkdtempSync(join(tmpdir(), "mlsl-docs-"));
  after(() => rmSync(folder, { recursive: true }));
  const run = (text) => runProgram({ path: "a.md", line: 3, text }, folder);
  assert.equal(run("const a: number = 1; await Promise.resolve(a);"), undefined);
  assert.match(run(`throw new Error("told");`).message, /failed \(1\)[\s\S]*told/);
});
