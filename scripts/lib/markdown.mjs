// As much of Markdown as the checks of the documents need: headings, links, fenced blocks.

/** Fenced blocks: info string, text without the fence's own indent, 1-based line of the fence. */
export function fencedBlocks(text) {
  const blocks = [];
  let open;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^(\s*)(`{3,}|~{3,})\s*(.*)$/.exec(line);
    if (open === undefined) {
      if (fence !== null) {
        open = {
          line: index + 1,
          indent: fence[1].length,
          mark: fence[2],
          info: fence[3],
          lines: [],
        };
      }
    } else if (fence?.[2].startsWith(open.mark) && fence[3] === "") {
      blocks.push({ line: open.line, info: open.info.trim(), text: open.lines.join("\n") });
      open = undefined;
    } else {
      open.lines.push(line.slice(Math.min(open.indent, line.search(/\S|$/))));
    }
  }
  return blocks;
}

/** The lines outside fenced blocks; those inside are empty, so that line numbers hold. */
function proseLines(text) {
  const lines = text.split("\n");
  for (const block of fencedBlocks(text)) {
    const last = block.line + (block.text === "" ? 0 : block.text.split("\n").length) + 1;
    for (let line = block.line; line <= last; line++) lines[line - 1] = "";
  }
  return lines;
}

/** A heading's anchor, by GitHub's rule: lower case, punctuation dropped, blanks to hyphens. */
export function slug(heading) {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** All anchors of a document: its headings, numbered where they repeat, and explicit ids. */
export function anchors(text) {
  const found = new Set();
  const seen = new Map();
  for (const line of proseLines(text)) {
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line);
    if (heading !== null) {
      const base = slug(heading[1]);
      const times = seen.get(base) ?? 0;
      seen.set(base, times + 1);
      found.add(times === 0 ? base : `${base}-${times}`);
    }
    for (const [, id] of line.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) found.add(id);
  }
  return found;
}

/** Targets of links and images that are not addresses on the web. */
export function relativeLinks(text) {
  const shapes = [
    /\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g,
    /^\s*\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)/g,
    /<(?:a|img)\s[^>]*(?:href|src)="([^"]+)"/g,
  ];
  return proseLines(text).flatMap((content, index) => {
    const plain = content.replace(/`[^`]*`/g, "");
    return shapes
      .flatMap((shape) => [...plain.matchAll(shape)].map((match) => match[1]))
      .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
      .map((target) => ({ line: index + 1, target }));
  });
}
