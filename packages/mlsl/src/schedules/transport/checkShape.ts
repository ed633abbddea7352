/** Refuses shapes that no schedule can be built for, before a wrong one hangs somebody. */

import type { RootedBlocksShape, ShapeOf, TransportKind } from "./shapes.js";

/** Most ranks of a group that schedules are proved for. */
export const MAX_RANKS = 1024;

function isWhole(value: unknown, end: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < end;
}

/** Refuses a count or offset: `ranks` of them must still add up exactly. */
function checkElements(name: string, value: unknown, ranks: number): void {
  const limit = Math.floor(Number.MAX_SAFE_INTEGER / ranks);
  if (isWhole(value, limit + 1)) return;
  throw new RangeError(
    `Cannot build schedule: "${name}" must be an integer from 0 to ${limit}, got ${String(value)}`,
  );
}

function checkList(name: string, list: readonly unknown[], ranks: number): void {
  if (list.length !== ranks) {
    throw new RangeError(
      `Cannot build schedule: "${name}" must have ${ranks} items, one per rank, got ${list.length}`,
    );
  }
  list.forEach((value, index) => {
    checkElements(`${name}[${index}]`, value, ranks);
  });
}

function checkRootBlocks({ rank, ranks, root, count, blocks }: RootedBlocksShape): void {
  if (rank !== root) return;
  if (blocks === undefined)
    throw new RangeError(`Cannot build schedule: "blocks" is missing: the root, ${root}, needs it`);
  checkList("blocks.counts", blocks.counts, ranks);
  checkList("blocks.offsets", blocks.offsets, ranks);
  if (blocks.counts[rank] !== count) {
    throw new RangeError(
      `Cannot build schedule: "blocks.counts[${rank}]" must be the root's count, ${count}, ` +
        `got ${blocks.counts[rank]}`,
    );
  }
}

function checkPlaces(shape: { rank: number; ranks: number; root?: number }): void {
  const { rank, ranks, root } = shape;
  if (!isWhole(ranks, MAX_RANKS + 1) || ranks < 1) {
    throw new RangeError(
      `Cannot build schedule: "ranks" must be an integer from 1 to ${MAX_RANKS}, got ${ranks}`,
    );
  }
  for (const [name, value] of Object.entries({ rank, root: root ?? 0 })) {
    if (isWhole(value, ranks)) continue;
    throw new RangeError(
      `Cannot build schedule: "${name}" must be an integer from 0 to ${ranks - 1}, got ${value}`,
    );
  }
}

/**
 * Checks a shape.
 *
 * @throws {RangeError} if a place, count or list is impossible
 */
export function checkShape<K extends TransportKind>(kind: K, shape: ShapeOf[K]): void {
  checkPlaces(shape);
  const { ranks } = shape;
  for (const [name, value] of Object.entries(shape)) {
    if (Array.isArray(value)) checkList(name, value, ranks);
    else if (name === "count") checkElements(name, value, ranks);
  }
  if (kind === "gatherv" || kind === "scatterv") checkRootBlocks(shape as RootedBlocksShape);
}
