// A parsed source file, as the checks see it. AssemblyScript is close enough to TypeScript for the
// parser: decorators in odd places are errors that it recovers from.
import ts from "typescript";

/** Parses a file. `kind` does not matter to the checks: they look at the tree only. */
export function parse(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
}

/** The 1-based line of a position. */
export function lineOf(file, position) {
  return file.getLineAndCharacterOfPosition(position).line + 1;
}

/** Calls `visit` for every node of the tree, parents first. */
export function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** All comments: first and last line and text, in no particular order. */
export function comments(file) {
  const found = new Map();
  const add = (position, end) =>
    found.set(position, {
      first: lineOf(file, position),
      last: lineOf(file, end),
      text: file.text.slice(position, end),
    });
  const visit = (node) => {
    if (ts.isTokenKind(node.kind)) {
      ts.forEachLeadingCommentRange(file.text, node.pos, add);
      ts.forEachTrailingCommentRange(file.text, node.end, add);
    }
    for (const child of node.getChildren(file)) {
      // The parsed form of a doc comment; its text is already a leading comment of a token.
      if (!ts.isJSDoc(child)) visit(child);
    }
  };
  visit(file);
  return [...found.values()];
}

/** Whether a comment stands on the line or on one of the `above` lines before it. */
export function hasCommentNear(commentList, line, above) {
  return commentList.some(({ first, last }) => first <= line && last >= line - above);
}
