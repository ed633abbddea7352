// The rules of style that Biome does not check. Pure: paths and texts in, findings out.
import { posix } from "node:path";
import ts from "typescript";
import { comments, hasCommentNear, lineOf, parse, walk } from "./source.mjs";
import * as tables from "./styleTables.mjs";

const CODE = /\.(ts|mts|mjs|js)$/;
const TEST = /\.test\.[a-z]+$/;
const isGenerated = (path) => path.includes("/generated/");
const isAssembly = (path) => path.includes("/assembly/");
/** What tests start or share, and nobody else gets. */
const isTestSupport = (path) => /\/(fixtures|testing)\//.test(path);
const isPackageSource = (path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path);

/** Marks of unfinished work, spelt apart so that this file does not find itself. */
const UNFINISHED = new RegExp(`\\b(?:${["FIX", "ME"].join("")}|${["XX", "X"].join("")})\\b`);
const OPEN_TASK = new RegExp(`\\b${["TO", "DO"].join("")}\\b(?!\\(#\\d+\\))`);
/** Folders that only one machine has. */
const HOME_PATH = /(?<![\w.\-})*/])\/(?:home|Users|root|work|workspace|builds)\/[\w.@-]+/;

function checkLength(text) {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  if (lines <= tables.MAX_FILE_LINES) return [];
  return [
    {
      line: tables.MAX_FILE_LINES + 1,
      message: `file of ${lines} lines: at most ${tables.MAX_FILE_LINES}; cut it along its ideas`,
    },
  ];
}

/** Rules for any text: unfinished work, and paths that hold on one machine only. */
function checkText(path, text) {
  return text.split("\n").flatMap((content, index) => {
    const line = index + 1;
    const unfinished = UNFINISHED.exec(content);
    const home = HOME_PATH.exec(content);
    return [
      unfinished && { line, message: `"${unfinished[0]}" left over: finish it or delete it` },
      CODE.test(path) &&
        OPEN_TASK.test(content) && {
          line,
          message: "to-do without an issue: write it with (#number)",
        },
      home && {
        line,
        message: `"${home[0]}" exists on one machine only: use a path relative to the project`,
      },
    ].filter(Boolean);
  });
}

function hasModifier(node, kind) {
  return ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((one) => one.kind === kind);
}

function checkExports(file) {
  const findings = [];
  const add = (node, message) =>
    findings.push({ line: lineOf(file, node.getStart(file)), message });
  walk(file, (node) => {
    if (ts.isEnumDeclaration(node)) {
      add(node, "enum: use a frozen object or a union of string literals");
    } else if (
      (ts.isExportAssignment(node) && !node.isExportEquals) ||
      hasModifier(node, ts.SyntaxKind.DefaultKeyword) ||
      (ts.isExportSpecifier(node) && node.name.text === "default")
    ) {
      add(node, "default export: export it by name");
    } else if (ts.isExportDeclaration(node) && node.exportClause === undefined) {
      add(node, "export *: name what is exported, so that a reader sees it");
    }
  });
  return findings;
}

/** `test.only`, `t.skip`, `{ skip: true }` and their kin. */
function checkTestMarks(file) {
  const marks = new Set(["only", "skip", "todo"]);
  const findings = [];
  walk(file, (node) => {
    const called =
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      marks.has(node.expression.name.text) &&
      node.expression.name.text;
    const option =
      ts.isPropertyAssignment(node) &&
      marks.has(node.name.getText(file)) &&
      (node.initializer.kind === ts.SyntaxKind.TrueKeyword ||
        ts.isStringLiteralLike(node.initializer)) &&
      node.name.getText(file);
    const mark = called || option;
    if (mark) {
      const message = `"${mark}" left over in a test: all tests run, always`;
      findings.push({ line: lineOf(file, node.getStart(file)), message });
    }
  });
  return findings;
}

const SIZE_NAME =
  /size|offset|length|bytes|count|capacity|address|pointer|begin|end$|start$|limit|position/i;
const BIT_OPERATORS = new Set([
  ts.SyntaxKind.LessThanLessThanToken,
  ts.SyntaxKind.GreaterThanGreaterThanToken,
  ts.SyntaxKind.GreaterThanGreaterThanGreaterThanToken,
  ts.SyntaxKind.LessThanLessThanEqualsToken,
  ts.SyntaxKind.GreaterThanGreaterThanEqualsToken,
  ts.SyntaxKind.GreaterThanGreaterThanGreaterThanEqualsToken,
  ts.SyntaxKind.AmpersandToken,
  ts.SyntaxKind.AmpersandEqualsToken,
  ts.SyntaxKind.CaretToken,
  ts.SyntaxKind.CaretEqualsToken,
  ts.SyntaxKind.BarToken,
  ts.SyntaxKind.BarEqualsToken,
]);

/** Whether a value is a size or offset by its name; what it is computed from does not tell. */
function namesSize(node) {
  if (ts.isIdentifier(node)) return SIZE_NAME.test(node.text);
  if (ts.isPropertyAccessExpression(node)) return SIZE_NAME.test(node.name.text);
  if (ts.isCallExpression(node) || ts.isElementAccessExpression(node)) {
    return namesSize(node.expression);
  }
  return ts.forEachChild(node, (child) => namesSize(child) || undefined) === true;
}

/** The bit operator of a node and where it stands; undefined if it has none. */
function bitOperator(file, node) {
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.TildeToken) {
    return { start: node.getStart(file), written: "~" };
  }
  if (!ts.isBinaryExpression(node) || !BIT_OPERATORS.has(node.operatorToken.kind)) return undefined;
  // The low bits of a number of any size, by a mask that is written out, are exact.
  const isMask = node.operatorToken.kind === ts.SyntaxKind.AmpersandToken;
  if (isMask && [node.left, node.right].some(ts.isNumericLiteral)) return undefined;
  const isCast = node.right.getText(file) === "0";
  const written = `${node.operatorToken.getText(file)}${isCast ? " 0" : ""}`;
  return { start: node.operatorToken.getStart(file), written };
}

/** Bit operations cut to 32 bits with a sign: sizes and offsets reach 4 GiB and beyond. */
function checkBits(file) {
  const excused = comments(file).filter(({ text }) => /\bbits: \S/.test(text));
  const findings = [];
  walk(file, (node) => {
    const operator = bitOperator(file, node);
    if (operator === undefined) return;
    const assigned = ts.isVariableDeclaration(node.parent) ? node.parent.name : node;
    if (!namesSize(node) && !namesSize(assigned)) return;
    const line = lineOf(file, operator.start);
    if (hasCommentNear(excused, line, 1)) return;
    findings.push({
      line,
      message:
        `"${operator.written}" on a size or offset keeps 32 bits: use Math.floor, %, * or /, ` +
        "or say why it is safe in a comment // bits: <reason>",
    });
  });
  return findings;
}

function isAtomic(node) {
  if (!ts.isPropertyAccessExpression(node)) return false;
  // Atomics.load in JavaScript; atomic.load, i32.atomic… and memory.atomic… in AssemblyScript.
  return ts.isIdentifier(node.expression)
    ? node.expression.text === "Atomics" || node.expression.text === "atomic"
    : ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === "atomic";
}

function checkAtomics(file) {
  const written = comments(file);
  const lines = new Set();
  walk(file, (node) => {
    if (isAtomic(node)) lines.add(lineOf(file, node.getStart(file)));
  });
  return [...lines]
    .filter((line) => !hasCommentNear(written, line, tables.ATOMIC_COMMENT_LINES))
    .map((line) => ({
      line,
      message:
        `atomic operation without its reason: say on the line, or at most ` +
        `${tables.ATOMIC_COMMENT_LINES} lines above, why it is safe`,
    }));
}

function checkAssembly(file) {
  const findings = [];
  for (const [index, content] of file.text.split("\n").entries()) {
    if (content.length > tables.MAX_COLUMNS) {
      const message = `line of ${content.length} columns: at most ${tables.MAX_COLUMNS}`;
      findings.push({ line: index + 1, message });
    }
  }
  const written = comments(file);
  const excused = (line, word) =>
    hasCommentNear(
      written.filter(({ text }) => text.includes(`${word}: `)),
      line,
      1,
    );
  walk(file, (node) => {
    if (!ts.isFunctionLike(node) || node.body === undefined) return;
    const line = lineOf(file, node.getStart(file));
    const length = lineOf(file, node.end) - line + 1;
    if (length > tables.MAX_FUNCTION_LINES && !excused(line, "lines")) {
      const message =
        `function of ${length} lines: at most ${tables.MAX_FUNCTION_LINES}, ` +
        "or a comment // lines: <reason> above";
      findings.push({ line, message });
    }
    if (node.parameters.length > tables.MAX_PARAMETERS && !excused(line, "parameters")) {
      const message =
        `${node.parameters.length} parameters: at most ${tables.MAX_PARAMETERS}, ` +
        "or a comment // parameters: <reason> above";
      findings.push({ line, message });
    }
  });
  return findings;
}

/** Whether a file does anything: types, imports, exports and plain constants do not. */
function holdsLogic(file) {
  let found = false;
  walk(file, (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) found = true;
    if (ts.isClassDeclaration(node) || ts.isExpressionStatement(node)) found = true;
  });
  return found;
}

function checkTested(path, file, { paths, untested }) {
  const test = path.replace(/\.ts$/, ".test.ts");
  const reason = untested[path];
  if (paths.has(test)) {
    return reason === undefined
      ? []
      : [
          {
            line: 1,
            message: "has a test: delete its entry in UNTESTED, scripts/lib/styleTables.mjs",
          },
        ];
  }
  if (reason !== undefined || !holdsLogic(file)) return [];
  return [
    {
      line: 1,
      message: `no ${posix.basename(test)} beside it: write one, or enter the file with a reason in UNTESTED, scripts/lib/styleTables.mjs`,
    },
  ];
}

function layerOf(path) {
  const name = path.replace(/^packages\/mlsl\/src\//, "").replace(/\/.*|\.ts$/g, "");
  return { name, rank: tables.LAYERS.findIndex((row) => row.includes(name)) };
}

/** Every specifier of an import, an export … from and an import() with a literal. */
function specifiers(file) {
  const found = [];
  walk(file, (node) => {
    const isDynamic =
      ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : isDynamic
            ? node.arguments[0]
            : undefined;
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) {
      found.push({ line: lineOf(file, specifier.getStart(file)), text: specifier.text });
    }
  });
  return found;
}

function checkImports(path, file) {
  const home = /^packages\/[^/]+\/src\//.exec(path)[0];
  const own = layerOf(path);
  const inLayers = home === "packages/mlsl/src/" && !TEST.test(path) && !isTestSupport(path);
  if (inLayers && own.rank < 0) {
    return [
      {
        line: 1,
        message: `layer "${own.name}" is unknown: enter it in LAYERS, scripts/lib/styleTables.mjs`,
      },
    ];
  }
  return specifiers(file)
    .filter(({ text }) => text.startsWith("."))
    .flatMap(({ line, text }) => {
      const target = posix.join(posix.dirname(path), text);
      if (!target.startsWith(home)) {
        return [{ line, message: `"${text}" leaves ${home}: import another package by its name` }];
      }
      if (!TEST.test(path) && !isTestSupport(path) && isTestSupport(target)) {
        return [{ line, message: `"${text}" is there for tests: shipped code does without` }];
      }
      const theirs = layerOf(target.replace(/\.js$/, ".ts"));
      if (!inLayers || theirs.rank <= own.rank) return [];
      return [
        {
          line,
          message: `"${own.name}" imports upwards from "${theirs.name}": move what both need down, or pass it in`,
        },
      ];
    });
}

/** The lock names packages and their hashes; where they came from is the installer's business. */
function checkLock(text) {
  return text.split("\n").flatMap((content, index) => {
    const host = /"resolved": "([a-z+]+:\/\/[^/"]+)/.exec(content);
    if (host === null) return [];
    const message = `"${host[1]}" ties the lock to a registry: install with omit-lockfile-registry-resolved=true`;
    return [{ line: index + 1, message }];
  });
}

function checkCode(path, text, project) {
  const file = parse(path, text);
  const source = isPackageSource(path);
  const test = TEST.test(path);
  const declarations = path.endsWith(".d.ts");
  return [
    ...checkLength(text),
    ...checkExports(file),
    ...(test ? checkTestMarks(file) : []),
    ...(test || isTestSupport(path) ? [] : checkAtomics(file)),
    ...(isAssembly(path) ? checkAssembly(file) : []),
    ...(source && !isAssembly(path) && !test ? checkBits(file) : []),
    ...(source && !isAssembly(path) ? checkImports(path, file) : []),
    ...(source && !isAssembly(path) && !test && !isTestSupport(path) && !declarations
      ? checkTested(path, file, project)
      : []),
  ];
}

/**
 * Checks all files of the project.
 *
 * @param files path (relative, with "/") and text of each
 * @param untested sources that need no test beside them: path to reason
 * @returns findings: path, line and message
 */
export function checkFiles(files, untested = tables.UNTESTED) {
  const paths = new Set(files.map(({ path }) => path));
  const project = { paths, untested };
  const findings = files.flatMap(({ path, text }) => {
    if (path.endsWith("package-lock.json")) return checkLock(text).map((one) => ({ path, ...one }));
    const found = checkText(path, text);
    if (CODE.test(path) && !isGenerated(path)) found.push(...checkCode(path, text, project));
    return found.map((one) => ({ path, ...one }));
  });
  for (const path of Object.keys(untested)) {
    if (!paths.has(path)) {
      findings.push({
        path,
        message: "is in UNTESTED, scripts/lib/styleTables.mjs, and does not exist",
      });
    }
  }
  return findings;
}
