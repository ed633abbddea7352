/** What a rank has once, whatever groups it is in. */

import type { DataType, ElementArray } from "../../memory/dataTypes.js";
import type { Segment } from "../../memory/segment.js";
import type { ChoiceTable } from "../../schedules/choice/choiceTable.js";
import { Progress } from "../requests/progress.js";
import { type RankContext, rankContext } from "../requests/rankContext.js";
import { LeftGroups } from "./leftGroups.js";

/** What a host's ranks have in common. */
export interface HostParts extends Pick<RankContext, "segment" | "kernels" | "crowded"> {
  /** Which algorithm is used where none is named; the same on all ranks. */
  readonly choices: ChoiceTable;
}

/** A rank on its host. */
export class Host {
  readonly choices: ChoiceTable;
  readonly context: RankContext;
  readonly progress: Progress;
  /** Groups that this rank has left and others perhaps not yet. */
  readonly leftGroups: LeftGroups;
  readonly #segment: Segment;

  constructor({ choices, ...parts }: HostParts) {
    this.choices = choices;
    this.context = rankContext(parts);
    this.progress = new Progress(this.context);
    this.leftGroups = new LeftGroups(parts.segment);
    this.#segment = parts.segment;
    this.context.reclaimers.add(() => this.leftGroups.sweep());
  }

  /** See `Group.allocate`. */
  allocate<T extends DataType>(type: T, count: number): ElementArray<T> {
    return this.context.reclaimers.take(() => this.#segment.allocate(type, count));
  }

  /** See `Group.free`. */
  free(array: ElementArray): void {
    this.progress.checkBuffers(() => "free an array", undefined, array);
    this.#segment.free(array);
  }
}
