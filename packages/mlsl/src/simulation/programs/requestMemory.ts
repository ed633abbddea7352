/** The buffers of one request in one array, with cells around them that nobody may change. */

import type { TransportKind } from "../../schedules/transport/shapes.js";
import type { CaseRank } from "./collectiveCases.js";

/** Cells before, between and after the buffers. */
const GUARD_CELLS = 8;
/** What guards hold; no element is negative. */
const GUARD = -1;
/** What "recv" holds before anything is written into it. */
export const UNWRITTEN = -2;
/** What a buffer holds once its owner uses it for something else. */
const REUSED = -3;

/** Buffers of a rank. */
export class RequestMemory {
  readonly cells: Float64Array;
  /** Where "send", "recv" and "scratch" begin, as programs number them. */
  readonly bases: readonly [number, number, number];
  readonly #sendCount: number;
  readonly #recvCount: number;
  readonly #scratchCount: number;

  /** @param inPlace whether one of the caller's buffers lies in the other, where that is offered */
  constructor(part: CaseRank<TransportKind>, scratchCount: number, inPlace: boolean) {
    const { sendCount, recvCount } = part;
    const place = inPlace ? part.inPlace : undefined;
    let send = GUARD_CELLS;
    let recv = send + sendCount + GUARD_CELLS;
    if (place?.outer === "recv") [send, recv] = [GUARD_CELLS + place.offset, GUARD_CELLS];
    if (place?.outer === "send") [send, recv] = [GUARD_CELLS, GUARD_CELLS + place.offset];
    const scratch = Math.max(send + sendCount, recv + recvCount) + GUARD_CELLS;
    this.bases = [send, recv, scratch];
    this.#sendCount = sendCount;
    this.#recvCount = recvCount;
    this.#scratchCount = scratchCount;
    this.cells = new Float64Array(scratch + scratchCount + GUARD_CELLS);
  }

  /** "recv" as it is. */
  get recv(): Float64Array {
    return this.cells.subarray(this.bases[1], this.bases[1] + this.#recvCount);
  }

  /** Gives the caller's buffers their values; scratch holds what no result may come of. */
  prepare(input: (index: number) => number, isInRecv: boolean): void {
    const { cells, bases } = this;
    cells.fill(GUARD);
    cells.fill(UNWRITTEN, bases[1], bases[1] + this.#recvCount);
    cells.fill(Number.NaN, bases[2], bases[2] + this.#scratchCount);
    for (let i = 0; i < this.#sendCount; i++) cells[bases[0] + i] = input(i);
    if (isInRecv) for (let i = 0; i < this.#recvCount; i++) cells[bases[1] + i] = input(i);
  }

  /**
   * Holds everything but "scratch" against what it must be.
   *
   * @returns what is wrong, in words; undefined if nothing is
   */
  wrong(input: (index: number) => number, expected: Float64Array): string | undefined {
    const { cells, bases } = this;
    const [send, recv, scratch] = bases;
    for (let i = 0; i < this.#recvCount; i++) {
      const value = cells[recv + i]!;
      if (value !== expected[i]) return `"recv"[${i}] is ${value}, not ${expected[i]}`;
    }
    for (let cell = 0; cell < cells.length; cell++) {
      const value = cells[cell]!;
      if (cell >= recv && cell < recv + this.#recvCount) continue;
      if (cell >= scratch && cell < scratch + this.#scratchCount) continue;
      const isSent = cell >= send && cell < send + this.#sendCount;
      if (isSent && value !== input(cell - send)) return `"send"[${cell - send}] has changed`;
      if (!isSent && value !== GUARD) return `cell ${cell} outside of all buffers is ${value}`;
    }
    return undefined;
  }

  /** Whether nobody has written anything but "scratch" since it was prepared so. */
  isUntouched(input: (index: number) => number, isInRecv: boolean): boolean {
    const now = this.cells.slice();
    this.prepare(input, isInRecv);
    const [, , scratch] = this.bases;
    const end = scratch + this.#scratchCount;
    const isSame = now.every((value, cell) => {
      const isScratch = cell >= scratch && cell < end;
      return isScratch || value === this.cells[cell];
    });
    this.cells.set(now);
    return isSame;
  }

  /** The owner uses all of it for something else. */
  reuse(): void {
    this.cells.fill(REUSED);
  }

  /** Whether nobody else has written since then. */
  isReused(): boolean {
    return this.cells.every((value) => value === REUSED);
  }
}
