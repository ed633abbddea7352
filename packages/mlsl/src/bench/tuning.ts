/** From measured times to a table of the best algorithms, which a job can load. */

import { isDeepStrictEqual } from "node:util";
import type { CollectiveKind } from "../collectives/operations/operation.js";
import type { BenchLine } from "./benchLine.js";
import { type BenchOp, factsOf } from "./ops.js";

/** For which operations an algorithm is the best; absent limits are none, all are inclusive. */
interface TunedEntry {
  readonly kind: CollectiveKind;
  readonly minRanks?: number;
  readonly maxRanks?: number;
  readonly maxBytes?: number;
  readonly algorithm: string;
}

/** A table of choices: the first entry that matches is used. */
export interface TunedTable {
  readonly version: 1;
  readonly entries: readonly TunedEntry[];
}

/** Kinds of which a rank does not know all bytes, or that have none: one entry for all sizes. */
const WITHOUT_BYTES: ReadonlySet<string> = new Set(["barrier", "gatherv", "scatterv", "alltoallv"]);

/** Kinds whose bytes are those of one block in a table, and of all blocks in a line. */
const BY_BLOCK: ReadonlySet<string> = new Set(["gather", "scatter", "alltoall"]);

function groupBy<K>(lines: readonly BenchLine[], key: (line: BenchLine) => K): Map<K, BenchLine[]> {
  const groups = new Map<K, BenchLine[]>();
  for (const line of lines) groups.set(key(line), [...(groups.get(key(line)) ?? []), line]);
  return groups;
}

function fastest(lines: readonly BenchLine[]): string {
  return lines.reduce((best, line) => (line.median_us < best.median_us ? line : best)).algorithm;
}

/** The best over all sizes: the least geometric mean, in which each size weighs as much. */
function fastestOverall(lines: readonly BenchLine[]): string {
  const byAlgorithm = groupBy(lines, ({ algorithm }) => algorithm);
  const means = [...byAlgorithm].map(([algorithm, of]) => ({
    algorithm,
    mean: of.reduce((sum, { median_us }) => sum + Math.log(median_us), 0) / of.length,
  }));
  return means.reduce((best, one) => (one.mean < best.mean ? one : best)).algorithm;
}

/** Choices from small to large; between two measured sizes the border is their geometric mean. */
function choicesBySize(kind: string, lines: readonly BenchLine[]) {
  const bytesOf = ({ bytes, ranks }: BenchLine): number =>
    BY_BLOCK.has(kind) ? bytes / ranks : bytes;
  const sizes = [...groupBy(lines, bytesOf)].sort(([a], [b]) => a - b);
  const choices: { maxBytes: number; algorithm: string }[] = [];
  sizes.forEach(([bytes, of], i) => {
    const algorithm = fastest(of);
    const after = sizes[i + 1]?.[0];
    const maxBytes =
      after === undefined ? Number.POSITIVE_INFINITY : Math.floor(Math.sqrt(bytes * after));
    if (choices.at(-1)?.algorithm === algorithm) choices.pop();
    choices.push({ maxBytes, algorithm });
  });
  return choices;
}

function choicesOf(kind: string, lines: readonly BenchLine[]) {
  if (!WITHOUT_BYTES.has(kind)) return choicesBySize(kind, lines);
  return [{ maxBytes: Number.POSITIVE_INFINITY, algorithm: fastestOverall(lines) }];
}

/** Choices up to a number of ranks. */
interface RankRange {
  readonly maxRanks: number;
  readonly choices: ReturnType<typeof choicesOf>;
}

/** Ranges from few ranks to many; neighbours that choose alike are one. */
function rangesOf(kind: string, lines: readonly BenchLine[]): RankRange[] {
  const byRanks = [...groupBy(lines, ({ ranks }) => ranks)].sort(([a], [b]) => a - b);
  const ranges: RankRange[] = [];
  for (const [maxRanks, of] of byRanks) {
    const choices = choicesOf(kind, of);
    if (isDeepStrictEqual(ranges.at(-1)?.choices, choices)) ranges.pop();
    ranges.push({ maxRanks, choices });
  }
  return ranges;
}

function entriesOf(kind: CollectiveKind, lines: readonly BenchLine[]): TunedEntry[] {
  const ranges = rangesOf(kind, lines);
  return ranges.flatMap(({ maxRanks, choices }, i) => {
    const before = ranges[i - 1];
    const isLast = i === ranges.length - 1;
    return choices.map(({ maxBytes, algorithm }) => ({
      kind,
      ...(before !== undefined && { minRanks: before.maxRanks + 1 }),
      ...(!isLast && { maxRanks }),
      ...(maxBytes !== Number.POSITIVE_INFINITY && { maxBytes }),
      algorithm,
    }));
  });
}

/**
 * The fastest algorithm of each kind by its median. What was measured between n ranks holds for
 * all numbers up to n that are above the next smaller measured one; the largest holds for all
 * beyond it.
 *
 * @param lines of one type and operator, with algorithms named
 */
export function tunedTable(lines: readonly BenchLine[]): TunedTable {
  const entries = [...groupBy(lines, ({ op }) => op)].flatMap(([op, of]) => {
    const { kind } = factsOf(op as BenchOp);
    return kind === undefined ? [] : entriesOf(kind, of);
  });
  return { version: 1, entries };
}
