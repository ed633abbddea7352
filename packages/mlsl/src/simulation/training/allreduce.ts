/** Which all-reduce a message takes on a network, and its programs. */

import { compile } from "../../engine/compile.js";
import type { Program } from "../../engine/program.js";
import { MAX_RANKS } from "../../schedules/transport/checkShape.js";
import type { Cost } from "../../schedules/transport/costs.js";
import { findAlgorithm } from "../../schedules/transport/registry.js";
import type { CountShape } from "../../schedules/transport/shapes.js";
import type { TransportSchedule } from "../../schedules/transport/steps.js";
import { twoLevelAllreduce, twoLevelCost } from "../../schedules/transport/twoLevel.js";
import { BYTES_PER_MS } from "../network.js";

/** Gradients are 32-bit floats. */
const ELEMENT_BYTES = 4;

/** What messages travel on, as costs see it. */
export interface Link {
  /** Milliseconds of a round without bytes. */
  readonly latencyMs: number;
  readonly bandwidthGBps: number;
}

/** A way to do it. */
export interface AllreduceChoice {
  /** As in the registry, or "twoLevel" and the ranks of a group. */
  readonly name: string;
  readonly cost: Cost;
  /** What it takes alone, by its cost: rounds × latency + bytes / bandwidth. */
  readonly ms: number;
  build(shape: CountShape): TransportSchedule;
}

/** Of the registry's, those that are the least in rounds, in bytes, or in both. */
const NAMES = ["recursiveDoubling", "halvingDoubling", "ring"] as const;

type Candidate = Omit<AllreduceChoice, "ms">;

/** All that can be had; where costs are equal, the first is taken. */
function candidates(ranks: number, count: number): Candidate[] {
  const found: Candidate[] = [];
  for (const name of ranks <= MAX_RANKS ? NAMES : []) {
    const { cost, build } = findAlgorithm("allreduce", name);
    found.push({ name, cost: cost(ranks, count), build });
  }
  for (let perGroup = 2; perGroup < ranks; perGroup *= 2) {
    found.push({
      name: `twoLevel ${perGroup}`,
      cost: twoLevelCost(ranks, count, perGroup),
      build: (shape) => twoLevelAllreduce({ ...shape, perGroup }),
    });
  }
  return found;
}

/** The cheapest all-reduce of so many floats. */
export function chooseAllreduce(ranks: number, count: number, link: Link): AllreduceChoice {
  const msPerElement = ELEMENT_BYTES / (link.bandwidthGBps * BYTES_PER_MS);
  const priced = candidates(ranks, count).map((one) => ({
    ...one,
    ms: one.cost.rounds * link.latencyMs + one.cost.sentCount * msPerElement,
  }));
  return priced.reduce((best, one) => (one.ms < best.ms ? one : best));
}

/**
 * Programs by bytes of a message and rank. Programs never change, so messages of one length share
 * them: nets have few lengths.
 */
export class AllreducePrograms {
  readonly #ranks: number;
  readonly #chunkBytes: number;
  readonly #link: Link;
  readonly #choices = new Map<number, AllreduceChoice>();
  readonly #programs = new Map<number, (Program | undefined)[]>();

  constructor(ranks: number, chunkBytes: number, link: Link) {
    this.#ranks = ranks;
    this.#chunkBytes = chunkBytes;
    this.#link = link;
  }

  /** How messages of so many bytes go. */
  choice(bytes: number): AllreduceChoice {
    const known = this.#choices.get(bytes);
    if (known !== undefined) return known;
    const made = chooseAllreduce(this.#ranks, bytes / ELEMENT_BYTES, this.#link);
    this.#choices.set(bytes, made);
    return made;
  }

  /** A rank's program. Gradients are reduced in place. */
  program(bytes: number, rank: number): Program {
    let programs = this.#programs.get(bytes);
    if (programs === undefined) {
      programs = new Array<Program | undefined>(this.#ranks).fill(undefined);
      this.#programs.set(bytes, programs);
    }
    const known = programs[rank];
    if (known !== undefined) return known;
    const count = bytes / ELEMENT_BYTES;
    const schedule = this.choice(bytes).build({ rank, ranks: this.#ranks, count });
    const cut = { elementBytes: ELEMENT_BYTES, chunkBytes: this.#chunkBytes, sendInRecv: 0 };
    const made = compile(schedule, cut);
    programs[rank] = made;
    return made;
  }
}
