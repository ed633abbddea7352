/** How large chunks and frames are. */

/** Below this the headers of a frame weigh as much as a percent of it. */
const MIN_CHUNK_BYTES = 4096;
/** Above this nothing is gained: a link is busy with one for a millisecond at 1 GB/s. */
const MAX_CHUNK_BYTES = 1048576;
/**
 * A chunk takes so many times as long as what a frame costs besides its bytes, so that the cost is
 * an eighth of the time while the next can be prepared in the other seven.
 */
const OVERHEADS_PER_CHUNK = 8;

/** What has been measured of a link. */
export interface LinkFigures {
  /** Milliseconds that a frame of no bytes takes, one way. */
  readonly latencyMs: number;
  /** Gigabytes per second of large frames. */
  readonly bandwidthGBps: number;
}

/** The target size of chunks and frames in bytes, a power of two from 4 KiB to 1 MiB. */
export function chunkBytesFor({ latencyMs, bandwidthGBps }: LinkFigures): number {
  if (!(latencyMs >= 0) || !(bandwidthGBps > 0)) {
    throw new RangeError(
      "Cannot choose a chunk size: expected a latency of at least 0 ms and a bandwidth over " +
        `0 GB/s, got ${latencyMs} ms and ${bandwidthGBps} GB/s`,
    );
  }
  const ideal = OVERHEADS_PER_CHUNK * latencyMs * bandwidthGBps * 1e6;
  const clamped = Math.min(MAX_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, ideal));
  return 2 ** Math.floor(Math.log2(clamped));
}

/**
 * The bound on bytes in flight: what a link holds there and back, so that it never runs dry, and
 * two chunks more, so that one can leave while the next is made ready.
 */
export function windowBytesFor(link: LinkFigures, chunkBytes: number): number {
  return Math.ceil(2 * link.latencyMs * link.bandwidthGBps * 1e6) + 2 * chunkBytes;
}
