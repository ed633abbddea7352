/**
 * Schedules for ranks that exchange messages. A schedule is what one rank does in one collective, a
 * pure function of the operation's shape; whoever executes it knows where the buffers are and how
 * messages travel.
 *
 * A rank runs its steps in order.
 * - A send never waits. Its bytes are read at any time until the matching receive is complete;
 *   a step that writes into a region still being sent is delayed until they have been read.
 * - Receives complete in the order of the steps. The k-th send from p to r is matched by the k-th
 *   receive at r from p, and both have the same count. Nothing is sent where the count is 0.
 * - The buffer "send" is never written. In place, regions of "send" and "recv" coincide, and copies
 *   onto themselves are left out; so no step reads a region of "send" after the region of "recv"
 *   that may coincide with it has been written.
 */

/** The caller's two buffers, and the elements that a schedule asks for besides. */
export type BufferName = "send" | "recv" | "scratch";

/** Elements [offset, offset+count) of a buffer. */
export interface Region {
  readonly buffer: BufferName;
  readonly offset: number;
  readonly count: number;
}

/** What one rank does next. */
export type TransportStep =
  | { readonly kind: "send"; readonly to: number; readonly region: Region }
  /**
   * combine: absent = overwrite; "before": region = received ∘ region;
   * "after": region = region ∘ received.
   */
  | {
      readonly kind: "receive";
      readonly from: number;
      readonly region: Region;
      readonly combine?: "before" | "after";
    }
  | { readonly kind: "copy"; readonly from: Region; readonly to: Region };

/** What one rank does in a collective. */
export interface TransportSchedule {
  /** Elements of "scratch" that the steps use; their values at the start do not matter. */
  readonly scratchCount: number;
  readonly steps: readonly TransportStep[];
}
