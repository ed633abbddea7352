/** Collects the steps of a schedule. Steps without elements are left out, on both sides alike. */

import type { BufferName, Region, TransportSchedule, TransportStep } from "./steps.js";

/** Elements [offset, offset+count) of a buffer. */
export function region(buffer: BufferName, offset: number, count: number): Region {
  return { buffer, offset, count };
}

/** Collects the steps of one rank, in order. */
export class ScheduleBuilder {
  readonly #steps: TransportStep[] = [];

  send(to: number, from: Region): void {
    if (from.count > 0) this.#steps.push({ kind: "send", to, region: from });
  }

  /** Overwrites the region with what arrives. */
  receive(from: number, to: Region): void {
    if (to.count > 0) this.#steps.push({ kind: "receive", from, region: to });
  }

  /** Combines what arrives into the region: "before" it as left operand, "after" it as right. */
  combine(from: number, to: Region, combine: "before" | "after"): void {
    if (to.count > 0) this.#steps.push({ kind: "receive", from, region: to, combine });
  }

  copy(from: Region, to: Region): void {
    if (from.count > 0) this.#steps.push({ kind: "copy", from, to });
  }

  /** @param scratchCount elements of scratch that the steps use; default 0 */
  build(scratchCount = 0): TransportSchedule {
    return { scratchCount, steps: this.#steps };
  }
}
