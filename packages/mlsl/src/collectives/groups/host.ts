/** What a rank has once, whatever groups it is in. */

import type { DataType, ElementArray } from "../../memory/dataTypes.js";
import type { Segment } from "../../memory/segment.js";
import type { RankDriver } from "../../progress/rankDriver.js";
import type { ChoiceTable } from "../../schedules/choice/choiceTable.js";
import { Progress } from "../requests/progress.js";
import { type RankContext, rankContext } from "../requests/rankContext.js";
import { LeftGroups } from "./leftGroups.js";

/** What a host's ranks have in common. */
export interface HostParts extends Pick<RankContext, "segment" | "kernels" | "crowded"> {
  /** Which algorithm is used where none is named; the same on all ranks. */
  readonly choices: ChoiceTable;
  /** Of this rank's progress workers; undefined if it has none. */
  readonly driver?: RankDriver | undefined;
}

/** Addresses of a segment. */
const ADDRESSES = 2 ** 32;

/** So many groups are told apart that a rank led from the same address: as many as numbers hold. */
const MAX_LED = 2 ** 20;

/** The control block of a group of a number. */
export function controlOf(group: number): number {
  return group % ADDRESSES;
}

/** A rank on its host. */
export class Host {
  readonly choices: ChoiceTable;
  readonly driver: RankDriver | undefined;
  readonly context: RankContext;
  readonly progress: Progress;
  /** Groups that this rank has left and others perhaps not yet. */
  readonly leftGroups: LeftGroups;
  readonly #segment: Segment;
  #led = 0;

  constructor({ choices, driver, ...parts }: HostParts) {
    this.choices = choices;
    this.driver = driver;
    this.context = rankContext(parts);
    this.progress = new Progress(this.context);
    this.leftGroups = new LeftGroups(parts.segment);
    this.#segment = parts.segment;
    this.context.reclaimers.add(() => this.leftGroups.sweep());
    if (driver !== undefined) this.context.reclaimers.add(() => driver.dropPlans());
  }

  /**
   * The number of a group that this rank leads, which no other group has that its ranks may know:
   * the address of its control block, and how many this rank has led before.
   */
  groupNumber(control: number): number {
    this.#led = (this.#led + 1) % MAX_LED;
    return control + this.#led * ADDRESSES;
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
