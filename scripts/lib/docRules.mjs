// What the documents say, held against the code. Pure: texts in, findings out.
import { posix } from "node:path";
import ts from "typescript";
import { anchors, fencedBlocks, relativeLinks } from "./markdown.mjs";
import { lineOf, parse, walk } from "./source.mjs";

/** Documents that must exist: the rules below look into some of them. */
export const REQUIRED = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "docs/environment.md",
  "docs/errors.md",
];

/**
 * Every relative link leads to a file or folder of the project, every anchor to a heading.
 *
 * @param documents path and text of each Markdown file
 * @param exists tells whether a path of the project, relative to its root, exists
 */
export function checkLinks(documents, exists) {
  const texts = new Map(documents.map(({ path, text }) => [path, text]));
  return documents.flatMap(({ path, text }) =>
    relativeLinks(text).flatMap(({ line, target }) => {
      const [file, anchor] = target.split("#");
      const goal =
        file === ""
          ? path
          : posix.join(posix.dirname(path), decodeURIComponent(file)).replace(/\/$/, "");
      if (goal.startsWith("..") || !exists(goal)) {
        return [
          { path, line, message: `link "${target}" leads nowhere: no ${goal} in the project` },
        ];
      }
      const goalText = texts.get(goal);
      if (anchor === undefined || goalText === undefined || anchors(goalText).has(anchor))
        return [];
      return [
        { path, line, message: `link "${target}" leads nowhere: no heading #${anchor} in ${goal}` },
      ];
    }),
  );
}

/** Every `npm run x` and `npm test` that a document names is a script of the root package. */
export function checkScripts(documents, scripts) {
  return documents.flatMap(({ path, text }) =>
    text.split("\n").flatMap((content, index) =>
      [...content.matchAll(/\bnpm (?:run (?:--?\w+ )*([\w:.-]*\w)|(test|start)\b)/g)]
        .map((match) => match[1] ?? match[2])
        .filter((script) => !(script in scripts))
        .map((script) => ({
          path,
          line: index + 1,
          message: `"npm run ${script}" is named, and package.json has no such script`,
        })),
    ),
  );
}

/** Blocks of a document that are to be run: a js or ts fence with the word run after it. */
export function runnableBlocks({ path, text }) {
  return fencedBlocks(text)
    .filter(({ info }) => /^(js|ts)\s+(.*\s)?run\b/.test(info))
    .map((block) => ({ path, line: block.line, text: block.text }));
}

/** The programs in the `@example` tags of a source, and findings where a tag holds none. */
export function docExamples({ path, text }) {
  const file = parse(path, text);
  const tags = new Map();
  walk(file, (node) => {
    for (const tag of ts.getJSDocTags(node)) {
      if (tag.tagName.text === "example") tags.set(tag.pos, tag);
    }
  });
  const programs = [];
  const findings = [];
  for (const tag of tags.values()) {
    const line = lineOf(file, tag.getStart(file));
    // The tag's text without the asterisks at the start of its lines.
    const content = text.slice(tag.pos, tag.end).replace(/^[ \t]*\*(?!\/) ?/gm, "");
    const blocks = fencedBlocks(content.replace(/\*\/\s*$/, ""));
    const runnable = blocks.filter(({ info }) => /^(ts|js)\b/.test(info));
    if (blocks.length === 0) {
      findings.push({ path, line, message: "@example without a fenced block: put it in ```ts" });
    }
    programs.push(
      ...runnable.map((block) => ({ path, line: line + block.line - 1, text: block.text })),
    );
  }
  return { programs, findings };
}

const NAME = /\bMLSL_[A-Z0-9_]*[A-Z0-9]\b/g;

function isDeclaredCode(node) {
  for (let at = node.parent; at !== undefined && !ts.isStatement(at); at = at.parent) {
    if (/code/i.test(at.name?.getText() ?? "")) return true;
  }
  return false;
}

/**
 * The names MLSL_… in a source, from its code alone, not from its comments: error codes are
 * literals under something called code; whatever else bears such a name is a variable.
 */
export function namesIn({ path, text }) {
  const file = parse(path, text);
  const found = [];
  const add = (node, name, isCode) =>
    found.push({ name, isCode, path, line: lineOf(file, node.getStart(file)) });
  walk(file, (node) => {
    if (ts.isPropertyAccessExpression(node) && node.name.text.startsWith("MLSL_")) {
      add(node, node.name.text, false);
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
      for (const [name] of node.text.matchAll(NAME)) {
        add(node, name, name === node.text && isDeclaredCode(node));
      }
    }
  });
  return found;
}

function checkTable({ path, text }, used, kind) {
  const written = new Map();
  for (const [index, content] of text.split("\n").entries()) {
    for (const [name] of content.matchAll(NAME))
      if (!written.has(name)) written.set(name, index + 1);
  }
  const missing = [...used.required]
    .filter(([name]) => !written.has(name))
    .map(([name, place]) => ({
      ...place,
      message: `${kind} ${name} is not in ${path}: describe it there`,
    }));
  const dead = [...written]
    .filter(([name]) => !used.known.has(name))
    .map(([name, line]) => ({
      path,
      line,
      message: `${name} is described, and nothing in the code uses it`,
    }));
  return [...missing, ...dead];
}

/**
 * Environment variables and error codes of the packages are described, and nothing else is.
 *
 * @param documents the Markdown files
 * @param packaged sources of the packages: what they use must be described
 * @param others further programs: what they use may be described
 */
export function checkNames(documents, packaged, others) {
  const inPackages = packaged.flatMap(namesIn);
  const all = [...inPackages, ...others.flatMap(namesIn)];
  const codes = new Set(all.filter(({ isCode }) => isCode).map(({ name }) => name));
  const places = (wanted) =>
    new Map(
      inPackages
        .filter(({ name }) => codes.has(name) === wanted)
        .map(({ name, path, line }) => [name, { path, line }]),
    );
  const known = new Set(all.map(({ name }) => name));
  const check = (path, wanted, kind) => {
    const document = documents.find((one) => one.path === path);
    return document === undefined
      ? []
      : checkTable(document, { required: places(wanted), known }, kind);
  };
  return [
    ...check("docs/environment.md", false, "variable"),
    ...check("docs/errors.md", true, "error code"),
  ];
}
