/** What an engine holds, for tests of leaks. */

/** How much an engine holds. */
export interface EngineContents {
  readonly groups: number;
  /** Requests that are known in them: under way, or persistent and not freed. */
  readonly posted: number;
  /** Words and chunks that came early, and sends that wait for their peers to start. */
  readonly held: number;
  /** Peers and kernels with something in their queues. */
  readonly queued: number;
  readonly inFlightBytes: number;
}
