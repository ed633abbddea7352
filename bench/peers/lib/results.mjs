// From single lines to what the table says: the best of the rounds, who is faster, and by how much.
import { IDEAL, OPS, OURS, RIVALS } from "./peers.mjs";

/**
 * Cores nearer than this share a cache. A cache line took 27 to 48 ns between such cores on the
 * machines seen, and 100 or more between others; shared-memory figures differ by a factor of 2 to
 * 5, so figures are compared within a group only.
 */
const NEAR_NS = 75;

const GROUPS = ["far", "near", "crowded"];

/**
 * Which figures may be compared: those measured while the cores of ranks 0 and 1 were near, or
 * far. With more ranks than cores the distance says nothing, and all figures are one group.
 */
export function groupOf({ ranks, c2c_ns }, cores) {
  if (ranks > cores) return "crowded";
  return c2c_ns < NEAR_NS ? "near" : "far";
}

/**
 * The best median of all rounds for each group, rank count, operation, size and peer, as other
 * work on the machine only adds time.
 *
 * @returns the lines with the best medians, each with its `group`
 */
export function bestLines(lines, cores) {
  const best = new Map();
  for (const line of lines) {
    const group = groupOf(line, cores);
    const key = [group, line.ranks, line.op, line.bytes, line.peer].join(" ");
    const known = best.get(key);
    if (known === undefined || line.median_us < known.median_us) best.set(key, { ...line, group });
  }
  return [...best.values()];
}

/** Distinct values, in the order of their first appearance. */
export const distinct = (values) => [...new Set(values)];

/** The line of the fastest rival, undefined without any. */
function fastestRival(lines) {
  return lines
    .filter(({ peer }) => RIVALS.includes(peer))
    .reduce((a, b) => (a === undefined || b.median_us < a.median_us ? b : a), undefined);
}

/**
 * What one size comes to; `ratio` above 1 means that ours is faster than the best rival. A group
 * that the fastest rival of all groups happens not to have been in gives no ratio: it would be
 * against the second best.
 */
function rowOf(bytes, group, lines) {
  const inGroup = lines.filter((line) => line.group === group);
  const byPeer = new Map(inGroup.map((line) => [line.peer, line]));
  const ours = byPeer.get(OURS);
  const ideal = byPeer.get(IDEAL);
  const rival = fastestRival(inGroup);
  const fair = ours !== undefined && byPeer.has(fastestRival(lines)?.peer);
  return {
    bytes,
    byPeer,
    rival: rival?.peer,
    ratio: fair ? rival.median_us / ours.median_us : undefined,
    idealPercent: ours && ideal ? (100 * ideal.median_us) / ours.median_us : undefined,
  };
}

function byRanksOpGroup(a, b) {
  return (
    a.ranks - b.ranks ||
    OPS.indexOf(a.op) - OPS.indexOf(b.op) ||
    GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group)
  );
}

/**
 * Tables of all that was measured, one for each rank count, operation and group, in this order.
 *
 * @param best see bestLines
 * @returns for each its `ranks`, `op`, `group`, `peers` in the given order, and `rows` by size
 */
export function tablesOf(best, peerOrder) {
  const tableName = ({ ranks, op, group }) => `${ranks} ${op} ${group}`;
  return distinct([...best].sort(byRanksOpGroup).map(tableName)).map((name) => {
    const { ranks, op, group } = best.find((line) => tableName(line) === name);
    const all = best.filter((line) => line.ranks === ranks && line.op === op);
    const inGroup = all.filter((line) => line.group === group);
    const sizes = distinct(inGroup.map(({ bytes }) => bytes)).sort((a, b) => a - b);
    return {
      ...{ ranks, op, group },
      peers: peerOrder.filter((peer) => inGroup.some((line) => line.peer === peer)),
      rows: sizes.map((bytes) =>
        rowOf(
          bytes,
          group,
          all.filter((line) => line.bytes === bytes),
        ),
      ),
    };
  });
}
