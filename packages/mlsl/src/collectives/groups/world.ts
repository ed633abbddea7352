/** The group of all ranks of a host. */

import type { Kernels } from "../../kernels/kernels.js";
import { CONTROL_OFFSET } from "../../memory/layout.js";
import type { Segment } from "../../memory/segment.js";
import type { RankDriver } from "../../progress/rankDriver.js";
import type { ChoiceTable } from "../../schedules/choice/choiceTable.js";
import { DEFAULT_CHOICES } from "../operations/choice.js";
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
  /**
   * Which algorithm is used where none is named; the same on all ranks.
   *
   * @default everything "direct"
   */
  readonly choices?: ChoiceTable;
  /** Of this rank's progress workers; on all ranks or on none. @default none */
  readonly driver?: RankDriver | undefined;
}

/**
 * The world of a rank. Once per rank: it takes memory for as long as the rank lives.
 *
 * @throws {SegmentFullError} If the rank's arena is too small.
 */
export function openWorld(options: WorldOptions): LocalGroup {
  const { segment, kernels, timeoutMs, crowded, driver, choices = DEFAULT_CHOICES } = options;
  const { rank, ranks } = segment;
  return new LocalGroup({
    name: "world",
    host: new Host({ segment, kernels, crowded, choices, driver }),
    rank,
    members: Array.from({ length: ranks }, (_, r) => r),
    id: CONTROL_OFFSET,
    blocks: takeBlocks(segment, ranks),
    timeoutMs,
  });
}
