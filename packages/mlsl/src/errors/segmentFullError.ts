/** What was asked of an arena, and what it has. */
export interface SegmentShortage {
  /** Bytes that were asked for, in whole cache lines. */
  readonly neededBytes: number;
  /** Bytes that are free, in however many pieces. */
  readonly availableBytes: number;
  /** Bytes of the largest free piece. */
  readonly largestBytes: number;
  /** Bytes of the whole arena. */
  readonly arenaBytes: number;
}

function mib(byteLength: number): string {
  return `${byteLength} bytes (${(byteLength / 1048576).toFixed(1)} MiB)`;
}

/** A buffer does not fit into this rank's part of the shared segment. */
export class SegmentFullError extends Error {
  /** There is no room in this rank's part of the segment. */
  readonly code = "MLSL_SEGMENT_FULL";
  /** Bytes that were asked for. */
  readonly neededBytes: number;
  /** Bytes that are free in this rank's arena, in however many pieces. */
  readonly availableBytes: number;

  constructor(shortage: SegmentShortage) {
    const { neededBytes, availableBytes, largestBytes, arenaBytes } = shortage;
    const wanted = Math.ceil((arenaBytes - availableBytes + neededBytes) / 1048576);
    super(
      `Cannot allocate ${mib(neededBytes)} in the shared segment: ` +
        `${mib(availableBytes)} of this rank's ${mib(arenaBytes)} are free, ` +
        `the largest block has ${largestBytes} bytes; free buffers that are no longer used, ` +
        `or start the job with a larger segment: mlsl run --segment-mib ${wanted}`,
    );
    this.name = "SegmentFullError";
    this.neededBytes = neededBytes;
    this.availableBytes = availableBytes;
  }
}
