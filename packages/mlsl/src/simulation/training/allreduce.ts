/** Which all-reduce a message takes on a network, and its programs. */

import { compile } from "../../engine/compile.js";
import type { Program } from "../../engine/program.js";
import { MAX_RANKS } from "../../schedules/transport/checkShape.js";
import type { Cost } from "../../schedules/transport/costs.js";
import { findAlgorithm } from "../../schedules/transport/registry.js";
import type { CountShape } from "../../schedules/transport/shapes.js";
import type { TransportSchedule } from "../../schedules/transport/steps.js";
import { squareSides, torusAllreduce, torusCost } from "../../schedules/transport/torus.js";
import { twoLevelAllreduce, twoLevelCost } from "../../schedules/transport/twoLevel.js";
import { BYTES_PER_MS } from "../network.js";

/** Gradients are 32-bit floats. */
const ELEMENT_BYTES = 4;

/**
 * How many times as long bytes occupy links when many all-reduces are under way. Ranks are then not in
 * step: with partners that change from round to round, some meet at one receiver while others get
 * nothing; on a torus, few do; in a ring, none. Alone, halving and doubling takes 1.4 times what its
 * bytes take, a torus 1.08, a ring 1.01, as `mlsl simulate training --net resnet50 --batch 8 --mode
 * priority --algorithm` with their names prints. Those that change partners count more here, because
 * they hold up the others, too.
 */
const CROWDING: Readonly<Record<AllreduceName, number>> = {
  recursiveDoubling: 1.5,
  halvingDoubling: 1.5,
  ring: 1,
  torus: 1.1,
  twoLevel: 1.5,
};

/** What messages travel on, as costs see it. */
export interface Link {
  /** Milliseconds from a rank to another. */
  readonly latencyMs: number;
  readonly bandwidthGBps: number;
  /** Time of a processor that a frame costs. */
  readonly overheadMs: number;
  /** Bytes in flight that an urgent message finds before it in each round. */
  readonly windowBytes: number;
}

/** A way to do it. */
interface Candidate {
  /** As in the registry; or "torus" with its sides, "twoLevel" with the ranks of a group. */
  readonly name: string;
  readonly cost: Cost;
  readonly crowding: number;
  build(shape: CountShape): TransportSchedule;
}

/** What is taken. */
export interface AllreduceChoice extends Candidate {
  /** What it occupies a rank with: rounds × overhead + bytes / bandwidth × crowding. */
  readonly occupiesMs: number;
  /** When it is over if less urgent ones are under way: each round waits for a window to empty. */
  readonly lastsMs: number;
}

/** Families of algorithms, cheapest to explain first: where costs are equal, the first is taken. */
export const ALLREDUCE_NAMES = [
  "recursiveDoubling",
  "halvingDoubling",
  "ring",
  "torus",
  "twoLevel",
] as const;
export type AllreduceName = (typeof ALLREDUCE_NAMES)[number];

function candidatesOf(name: AllreduceName, ranks: number, count: number): Candidate[] {
  if (name === "twoLevel") {
    const found: Candidate[] = [];
    for (let perGroup = 1; perGroup <= ranks; perGroup *= 2) {
      const cost = twoLevelCost(ranks, count, perGroup);
      const build = (shape: CountShape) => twoLevelAllreduce({ ...shape, perGroup });
      found.push({ name: `twoLevel ${perGroup}`, cost, crowding: CROWDING.twoLevel, build });
    }
    return found;
  }
  if (name === "torus") {
    const sides = squareSides(ranks);
    const build = (shape: CountShape) => torusAllreduce({ ...shape, sides });
    return [
      {
        name: `torus ${sides.join("x")}`,
        cost: torusCost(count, sides),
        crowding: CROWDING.torus,
        build,
      },
    ];
  }
  if (ranks > MAX_RANKS) return [];
  const { cost, build } = findAlgorithm("allreduce", name);
  return [{ name, cost: cost(ranks, count), crowding: CROWDING[name], build }];
}

/** What is to be reduced. */
export interface AllreduceTask {
  readonly ranks: number;
  /** Floats. */
  readonly count: number;
  /** Milliseconds after which somebody waits for it. */
  readonly slackMs: number;
  /** Families to choose from. @default all */
  readonly names?: readonly AllreduceName[];
}

/**
 * Of the all-reduces that are over before somebody waits for them, the one that occupies the links
 * least; if none is, the one that is over first.
 */
export function chooseAllreduce(task: AllreduceTask, link: Link): AllreduceChoice {
  const { ranks, count, slackMs, names = ALLREDUCE_NAMES } = task;
  const bytesPerMs = link.bandwidthGBps * BYTES_PER_MS;
  const roundMs = link.overheadMs + link.latencyMs + link.windowBytes / bytesPerMs;
  const priced = names
    .flatMap((name) => candidatesOf(name, ranks, count))
    .map((one) => {
      const { rounds, sentCount } = one.cost;
      const bytesMs = (sentCount * ELEMENT_BYTES * one.crowding) / bytesPerMs;
      const occupiesMs = rounds * link.overheadMs + bytesMs;
      return { ...one, occupiesMs, lastsMs: rounds * roundMs + bytesMs };
    });
  if (priced.length === 0) {
    throw new RangeError(
      `Cannot choose an all-reduce for ${ranks} ranks: ${names.join(", ")} take up to ${MAX_RANKS}`,
    );
  }
  const inTime = priced.filter(({ lastsMs }) => lastsMs <= slackMs);
  if (inTime.length === 0) return priced.reduce((a, b) => (b.lastsMs < a.lastsMs ? b : a));
  return inTime.reduce((a, b) => (b.occupiesMs < a.occupiesMs ? b : a));
}

/** What programs are made for. */
export interface AllreduceSetting {
  readonly ranks: number;
  readonly chunkBytes: number;
  readonly link: Link;
  /** @default all */
  readonly names?: readonly AllreduceName[];
}

/**
 * Programs by algorithm, bytes of a message and rank. Programs never change, so messages of one
 * length share them: nets have few lengths.
 */
export class AllreducePrograms {
  readonly #setting: AllreduceSetting;
  readonly #programs = new Map<string, (Program | undefined)[]>();

  constructor(setting: AllreduceSetting) {
    this.#setting = setting;
  }

  /** How messages of so many bytes go that are waited for after some time. */
  choice(bytes: number, slackMs: number): AllreduceChoice {
    const { ranks, link, names } = this.#setting;
    const task = { ranks, count: bytes / ELEMENT_BYTES, slackMs };
    return chooseAllreduce(names === undefined ? task : { ...task, names }, link);
  }

  /** A rank's program. Gradients are reduced in place. */
  program(choice: AllreduceChoice, bytes: number, rank: number): Program {
    const { ranks, chunkBytes } = this.#setting;
    const key = `${choice.name} ${bytes}`;
    let programs = this.#programs.get(key);
    if (programs === undefined) {
      programs = new Array<Program | undefined>(ranks).fill(undefined);
      this.#programs.set(key, programs);
    }
    const known = programs[rank];
    if (known !== undefined) return known;
    const schedule = choice.build({ rank, ranks, count: bytes / ELEMENT_BYTES });
    const made = compile(schedule, { elementBytes: ELEMENT_BYTES, chunkBytes, sendInRecv: 0 });
    programs[rank] = made;
    return made;
  }
}
