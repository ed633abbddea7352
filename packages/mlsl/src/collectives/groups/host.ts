/** What a rank has once, whatever groups it is in. */

import type { DataType, ElementArray } from "../../memory/dataTypes.js";
import type { Segment } from "../../memory/segment.js";
import { Progress } from "../requests/progress.js";
import { type RankContext, rankContext } from "../requests/rankContext.js";
import { LeftGroups } from "./leftGroups.js";

/** A rank on its host. */
export class Host {
  readonly context: RankContext;
  readonly progress: Progress;
  /** Groups that this rank has left and others perhaps not yet. */
  readonly leftGroups: LeftGroups;
  readonly #segment: Segment;

  constructor(parts: Pick<RankContext, "segment" | "kernels" | "crowded">) {
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
