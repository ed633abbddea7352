/** A collective of a random program: its schedules, programs, and what it yields. */

import { compile } from "../../engine/compile.js";
import type { Program } from "../../engine/program.js";
import { type Algorithm, findAlgorithm } from "../../schedules/transport/registry.js";
import type { ShapeOf, TransportKind } from "../../schedules/transport/shapes.js";
import type { TransportSchedule } from "../../schedules/transport/steps.js";
import { CASES, type CaseRank } from "./collectiveCases.js";
import { hashOf, PROGRAM_OPERATORS, type ProgramOperator } from "./operators.js";
import type { CollectivePlan } from "./programPlan.js";
import { referenceResults } from "./reference.js";
import { RequestMemory } from "./requestMemory.js";

/** What all ranks of a collective share. */
export class CollectiveRun {
  readonly plan: CollectivePlan;
  readonly members: readonly number[];
  readonly operator: ProgramOperator;
  readonly fingerprint: string;
  readonly parts: readonly CaseRank<TransportKind>[];
  /** How often each rank has started it. */
  readonly starts: number[];
  readonly #seed: number;
  readonly #schedules: readonly TransportSchedule[];
  /** By number of the start. */
  readonly #results: Float64Array[][] = [];

  /** @param seed what its inputs and its variable counts are made of */
  constructor(plan: CollectivePlan, members: readonly number[], seed: number) {
    this.plan = plan;
    this.members = members;
    this.operator = PROGRAM_OPERATORS[plan.operator];
    this.#seed = seed;
    this.starts = members.map(() => 0);
    const { kind, root, count } = plan;
    this.fingerprint = JSON.stringify([kind, plan.algorithm, root, count, plan.operator]);
    const countOf = (from: number, to: number): number =>
      count === 0 ? 0 : hashOf(seed, from, to) % (2 * count + 1);
    const size = { ranks: members.length, root, count, countOf };
    this.parts = members.map((_, rank) => CASES[kind](rank, size));
    const algorithm = findAlgorithm(kind, plan.algorithm) as Algorithm<ShapeOf[TransportKind]>;
    this.#schedules = this.parts.map(({ shape }) => algorithm.build(shape));
  }

  /** Element `index` of what a rank gives when it starts for the `start`-th time, from 1. */
  input(rank: number, start: number, index: number): number {
    return this.operator.element(hashOf(this.#seed, start, rank, index));
  }

  /** Whether a rank gives its input in "recv". */
  givesRecv(rank: number): boolean {
    return this.plan.kind === "broadcast" && rank === this.plan.root;
  }

  /** Where the inner of the caller's buffers begins, as programs take it. */
  #sendInRecv(rank: number): number | undefined {
    const place = this.plan.inPlace ? this.parts[rank]!.inPlace : undefined;
    if (place === undefined) return undefined;
    return place.outer === "recv" ? place.offset : -place.offset;
  }

  program(rank: number, chunkBytes: number): Program {
    const { elementBytes } = this.plan;
    const sendInRecv = this.#sendInRecv(rank);
    const cut = { elementBytes, chunkBytes };
    return compile(this.#schedules[rank]!, sendInRecv === undefined ? cut : { ...cut, sendInRecv });
  }

  memory(rank: number): RequestMemory {
    const { scratchCount } = this.#schedules[rank]!;
    return new RequestMemory(this.parts[rank]!, scratchCount, this.plan.inPlace);
  }

  /** What must lie in "recv" of a rank after a start. */
  expected(rank: number, start: number): Float64Array {
    this.#results[start] ??= referenceResults({
      kind: this.plan.kind,
      root: this.plan.root,
      parts: this.parts,
      schedules: this.#schedules,
      operator: this.operator,
      input: (from, index) => this.input(from, start, index),
    });
    return this.#results[start]![rank]!;
  }
}
