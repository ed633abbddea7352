/**
 * Where things lie inside the segment that all ranks of a host share.
 *
 *     0 ............ header: magic, version, sizes (address 0 is never a valid buffer)
 *     SLEEPERS ..... one bit per rank: it sleeps, or is about to
 *     STATUS ....... one int32 per rank, written by the launcher when the rank has ended
 *     WAKES ........ one int32 per rank: changes whenever somebody wakes it
 *     WORKERS ...... one int32 per rank: where its progress workers' blocks are, 0 before they are
 *     CONTROL ...... control block of the world (arrival lines, phases, slots)
 *     arenas ....... one per rank; only its rank allocates there, every rank reads and writes it
 *
 * An arena per rank needs no lock between processes, and a rank that dies inside an allocation
 * damages nobody.
 */

/** Ranks that one host can hold: the status table and the control blocks are sized by it. */
export const MAX_LOCAL_RANKS = 64;

/** Unit in which WebAssembly memory is sized. */
export const PAGE_BYTES = 65536;

/** Marks a segment, so that a wrong descriptor is noticed at once ("MLSL"). */
export const MAGIC = 0x4d4c534c;

/** Changes with every change of this layout: ranks of different builds refuse each other. */
export const LAYOUT_VERSION = 3;

export const MAGIC_OFFSET = 64;
export const VERSION_OFFSET = 68;
export const RANKS_OFFSET = 72;

/** 64 bits, bit r for rank r: whether it sleeps. On a cache line of its own. */
export const SLEEPERS_OFFSET = 128;

/** Status of rank r: int32 at STATUS_OFFSET + 4 r; see rankStatus.ts for its values. */
export const STATUS_OFFSET = 1024;

/** What rank r sleeps on: int32 at WAKES_OFFSET + 4 r. */
export const WAKES_OFFSET = 2048;

/** Address of the blocks of rank r's progress workers: int32 at WORKERS_OFFSET + 4 r; see progress/. */
export const WORKERS_OFFSET = 3072;

/** First byte of the control blocks. */
export const CONTROL_OFFSET = 4096;

/** Control blocks end here; the arenas follow. One MiB holds 64 ranks' lines many times over. */
export const CONTROL_END = 1048576;

/** The part of the segment from which one rank allocates. */
export interface Arena {
  /** First byte, a multiple of 64. */
  readonly byteOffset: number;
  readonly byteLength: number;
}

/**
 * The arena of a rank: an equal share of what the control blocks leave, cut to whole 4 KiB pages.
 *
 * @param segmentBytes size of the whole segment
 */
export function arenaOf(rank: number, ranks: number, segmentBytes: number): Arena {
  const share = Math.floor((segmentBytes - CONTROL_END) / ranks / 4096) * 4096;
  if (share <= 0) {
    throw new RangeError(
      `Cannot share ${segmentBytes} bytes among ${ranks} ranks: at least ${CONTROL_END + ranks * 4096} are needed`,
    );
  }
  return { byteOffset: CONTROL_END + rank * share, byteLength: share };
}

/**
 * Bytes of a segment: each rank's arena, rounded up to whole pages.
 *
 * @throws {RangeError} If the sum exceeds 4 GiB, the most that WebAssembly can address.
 */
export function segmentBytesFor(ranks: number, arenaBytes: number): number {
  const needed = CONTROL_END + ranks * Math.ceil(arenaBytes / 4096) * 4096;
  const bytes = Math.ceil(needed / PAGE_BYTES) * PAGE_BYTES;
  if (bytes > 65536 * PAGE_BYTES) {
    throw new RangeError(
      `Cannot make a segment of ${bytes} bytes for ${ranks} ranks with ${arenaBytes} bytes each: 4294967296 is the most`,
    );
  }
  return bytes;
}
