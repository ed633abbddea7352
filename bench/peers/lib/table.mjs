// Tables in Markdown, aligned so that a terminal shows them well too.
import { IDEAL } from "./peers.mjs";

const MIB = 1024 * 1024;

/** Beyond this the two ranks shared a core for a while, which ranks that are not bound may do. */
const APART_NS = 999;

/** Groups of results.mjs in words, to follow a count of ranks. */
export const PLACES = {
  near: ", cores near",
  far: ", cores far",
  crowded: ", more ranks than cores",
};

/** A size as people write it: 4 B, 64 KiB, 1 MiB. */
export function sizeText(bytes) {
  if (bytes > 0 && bytes % MIB === 0) return `${bytes / MIB} MiB`;
  if (bytes > 0 && bytes % 1024 === 0) return `${bytes / 1024} KiB`;
  return `${bytes} B`;
}

/** Three digits, as nothing here is more exact. */
export function threeDigits(value) {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** Median in microseconds, in brackets the distance of the cores in ns if it says anything. */
function cellOf(line, group) {
  if (line === undefined) return "";
  const time = threeDigits(line.median_us);
  if (group === "crowded") return time;
  const distance = line.c2c_ns > APART_NS ? `>${APART_NS}` : line.c2c_ns.toFixed(0);
  return `${time} (${distance})`;
}

function pad(text, width, first) {
  return first ? text.padEnd(width) : text.padStart(width);
}

function layOut(cells) {
  const widths = cells[0].map((_, k) => Math.max(3, ...cells.map((row) => row[k].length)));
  const lines = cells.map(
    (row) => `| ${row.map((cell, k) => pad(cell, widths[k], k === 0)).join(" | ")} |`,
  );
  const rule = widths.map((width, k) =>
    k === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [lines[0], `| ${rule.join(" | ")} |`, ...lines.slice(1)].join("\n");
}

/**
 * One table of results.tablesOf. The last columns are the best rival's time over ours (above 1:
 * ours is faster), and how much of the ideal's speed ours has.
 */
export function renderTable({ ranks, op, group, peers, rows }) {
  const measured = peers.filter((peer) => peer !== IDEAL);
  const hasIdeal = peers.includes(IDEAL);
  const head = ["size", ...measured, "best rival", "rival / ours"];
  const cells = rows.map(({ bytes, byPeer, rival, ratio, idealPercent }) => [
    bytes === 0 ? "-" : sizeText(bytes),
    ...measured.map((peer) => cellOf(byPeer.get(peer), group)),
    rival ?? "",
    ratio === undefined ? "" : ratio.toFixed(2),
    ...(hasIdeal
      ? [
          cellOf(byPeer.get(IDEAL), group),
          idealPercent === undefined ? "" : `${idealPercent.toFixed(0)} %`,
        ]
      : []),
  ]);
  const unit = group === "crowded" ? "us" : "us (ns from core to core)";
  const title = `#### ${op}, ${ranks} ranks${PLACES[group]}: best median, ${unit}`;
  return `${title}\n\n${layOut([hasIdeal ? [...head, IDEAL, "of ideal"] : head, ...cells])}\n`;
}
