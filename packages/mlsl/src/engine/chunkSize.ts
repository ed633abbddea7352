/** How large chunks and frames are. */

/** Below this the headers of a frame weigh as much as a percent of it. */
const MIN_CHUNK_BYTES = 4096;
/** Above this nothing is gained: a link is busy with one for a millisecond at 1 GB/s. */
const MAX_CHUNK_BYTES = 1048576;
/**
 * A chunk takes so many times as long as what a frame costs besides its bytes: that cost is then some
 * six percent of the time, and something more urgent waits for little more than that many frames.
 */
const OVERHEADS_PER_CHUNK = 16;

/** What decides how large chunks are. */
export interface FrameFigures {
  /** Milliseconds that a frame keeps those busy who handle it, besides its bytes. */
  readonly overheadMs: number;
  /** Gigabytes per second of large frames. */
  readonly bandwidthGBps: number;
}

/** What has been measured of a link. */
export interface LinkFigures extends FrameFigures {
  /** Milliseconds that a frame of no bytes is on its way. */
  readonly latencyMs: number;
}

/** The target size of chunks and frames in bytes, a power of two from 4 KiB to 1 MiB. */
export function chunkBytesFor({ overheadMs, bandwidthGBps }: FrameFigures): number {
  if (!(overheadMs >= 0) || !(bandwidthGBps > 0)) {
    throw new RangeError(
      "Cannot choose a chunk size: expected an overhead of at least 0 ms and a bandwidth over " +
        `0 GB/s, got ${overheadMs} ms and ${bandwidthGBps} GB/s`,
    );
  }
  const ideal = OVERHEADS_PER_CHUNK * overheadMs * bandwidthGBps * 1e6;
  const clamped = Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, ideal));
  return 2 ** Math.round(Math.log2(clamped));
}

/**
 * The bound on bytes in flight: what a link holds there and back, so that it never runs dry, and
 * two chunks more, so that one can leave while the next is made ready.
 */
export function windowBytesFor(link: LinkFigures, chunkBytes: number): number {
  return Math.ceil(2 * link.latencyMs * link.bandwidthGBps * 1e6) + 2 * chunkBytes;
}
