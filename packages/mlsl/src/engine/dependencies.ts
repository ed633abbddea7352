/**
 * Which operations of a program must be complete before which. Two steps of a schedule depend on
 * each other where they share elements and at least one of them writes; of the chunks that they are
 * cut into, only those that share elements do.
 */

import type { BufferName, Region } from "../schedules/transport/steps.js";

/** The chunks of a step: operations first … first + count − 1, cut from its beginning. */
export interface Pieces {
  readonly first: number;
  readonly count: number;
  /** What the step reads of the rank's memory, and what it writes. */
  readonly reads: Region | undefined;
  readonly writes: Region | undefined;
}

/** Who waits for whom, as programs hold it. */
export interface Links {
  readonly waits: Int32Array;
  readonly nextStarts: Int32Array;
  readonly next: Int32Array;
}

interface Range {
  readonly begin: number;
  readonly end: number;
}

/** Finds dependencies of steps that are cut alike. */
export class DependencyFinder {
  readonly #chunkCount: number;
  readonly #sendInRecv: number | undefined;

  /** @param sendInRecv where "send" begins in "recv" when it is a part of it, or the other way */
  constructor(chunkCount: number, sendInRecv: number | undefined) {
    this.#chunkCount = chunkCount;
    this.#sendInRecv = sendInRecv;
  }

  /** Where a region lies, with both names of a buffer made one. */
  #place({ buffer, offset, count }: Region): Range & { buffer: BufferName } {
    const inPlace = buffer === "send" && this.#sendInRecv !== undefined;
    const begin = inPlace ? offset + this.#sendInRecv! : offset;
    return { buffer: inPlace ? "recv" : buffer, begin, end: begin + count };
  }

  /** Whether a move copies a region onto itself. */
  isNothing({ reads, writes }: Pick<Pieces, "reads" | "writes">): boolean {
    if (reads === undefined || writes === undefined) return false;
    const [from, to] = [this.#place(reads), this.#place(writes)];
    return from.buffer === to.buffer && from.begin === to.begin;
  }

  /** Elements that two regions share; undefined if there are none. */
  #shared(a: Region | undefined, b: Region | undefined): Range | undefined {
    if (a === undefined || b === undefined) return undefined;
    const [x, y] = [this.#place(a), this.#place(b)];
    if (x.buffer !== y.buffer) return undefined;
    const [begin, end] = [Math.max(x.begin, y.begin), Math.min(x.end, y.end)];
    return begin < end ? { begin, end } : undefined;
  }

  /** Chunks of a step's region that hold any of these elements. */
  #chunks(pieces: Pieces, region: Region, { begin, end }: Range): Range {
    const start = this.#place(region).begin;
    const first = Math.floor((begin - start) / this.#chunkCount);
    const last = Math.floor((end - 1 - start) / this.#chunkCount);
    return { begin: pieces.first + first, end: pieces.first + last + 1 };
  }

  /**
   * All dependencies of a program of `total` operations.
   *
   * @param known pairs (earlier, later) that are no matter of shared elements
   */
  find(steps: readonly Pieces[], total: number, known: readonly number[] = []): Links {
    const pairs: number[] = [...known];
    for (let later = 1; later < steps.length; later++) {
      for (const side of ["reads", "writes"] as const) this.#lookBack(steps, later, side, pairs);
    }
    return link(pairs, total);
  }

  /** Adds what a step waits for on account of what it reads, or what it writes. */
  #lookBack(
    steps: readonly Pieces[],
    later: number,
    side: "reads" | "writes",
    pairs: number[],
  ): void {
    const step = steps[later]!;
    const region = step[side];
    if (region === undefined) return;
    for (let earlier = later - 1; earlier >= 0; earlier--) {
      const before = steps[earlier]!;
      if (side === "writes") this.#addPairs(before, before.reads, step, region, pairs);
      const written = this.#shared(before.writes, region);
      if (written === undefined) continue;
      this.#addPairs(before, before.writes, step, region, pairs);
      // Whatever came before that touched these elements, the writer has waited for.
      if (written.end - written.begin === region.count) return;
    }
  }

  #addPairs(
    before: Pieces,
    touched: Region | undefined,
    after: Pieces,
    region: Region,
    pairs: number[],
  ): void {
    const shared = this.#shared(touched, region);
    if (shared === undefined) return;
    const waiting = this.#chunks(after, region, shared);
    const start = this.#place(region).begin;
    for (let op = waiting.begin; op < waiting.end; op++) {
      const chunkBegin = start + (op - after.first) * this.#chunkCount;
      const begin = Math.max(shared.begin, chunkBegin);
      const end = Math.min(shared.end, chunkBegin + this.#chunkCount);
      const first = this.#chunks(before, touched!, { begin, end });
      for (let other = first.begin; other < first.end; other++) pairs.push(other, op);
    }
  }
}

/** Pairs (earlier, later) as counts and lists. */
function link(pairs: readonly number[], total: number): Links {
  const waits = new Int32Array(total);
  const nextStarts = new Int32Array(total + 1);
  const next = new Int32Array(pairs.length / 2);
  for (let i = 0; i < pairs.length; i += 2) {
    nextStarts[pairs[i]! + 1]! += 1;
    waits[pairs[i + 1]!]! += 1;
  }
  for (let op = 0; op < total; op++) nextStarts[op + 1]! += nextStarts[op]!;
  const free = nextStarts.slice(0, total);
  for (let i = 0; i < pairs.length; i += 2) {
    const place = free[pairs[i]!]!;
    next[place] = pairs[i + 1]!;
    free[pairs[i]!] = place + 1;
  }
  return { waits, nextStarts, next };
}
