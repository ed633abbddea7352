/** The group of all ranks of a host. */

import type { Kernels } from "../../kernels/kernels.js";
import { CONTROL_OFFSET } from "../../memory/layout.js";
import type { Segment } from "../../memory/segment.js";
import { takeBlocks } from "./groupMemory.js";
import { Host } from "./host.js";
import { LocalGroup } from "./localGroup.js";

/** What a rank knows when it joins. */
export interface WorldOptions {
  readonly segment: Segment;
  readonly kernels: Kernels;
  readonly timeoutMs: number;
  /** Whether ranks must share cores: they then sleep instead of spinning. */
  readonly crowded: boolean;
}

/**
 * The world of a rank. Once per rank: it takes memory for as long as the rank lives.
 *
 * @throws {SegmentFullError} If the rank's arena is too small.
 */
export function openWorld({ segment, kernels, timeoutMs, crowded }: WorldOptions): LocalGroup {
  const { rank, ranks } = segment;
  return new LocalGroup({
    name: "world",
    host: new Host({ segment, kernels, crowded }),
    rank,
    members: Array.from({ length: ranks }, (_, r) => r),
    control: CONTROL_OFFSET,
    blocks: takeBlocks(segment, ranks),
    timeoutMs,
  });
}
