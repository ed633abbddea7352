/** Runs the kernels of one worker. */

import { PLAN, plannedTargets, TURN } from "../kernels/exchangeLayout.js";
import { type Kernels, OP_CODES } from "../kernels/kernels.js";
import { reductionTree } from "../kernels/reductionTree.js";
import type { Plan } from "./plan.js";

/** Bytes of a region. */
export interface Target {
  readonly address: number;
  readonly byteLength: number;
}

/** A kernel plan and a tree of this worker, written anew for each kernel. */
export class KernelRunner {
  readonly #kernels: Kernels;
  readonly #words: Int32Array;
  readonly #plan: number;
  readonly #tree: number;
  /** How many sources the tree is for. */
  #treeSources = 0;

  constructor(kernels: Kernels, words: Int32Array, place: { plan: number; tree: number }) {
    this.#kernels = kernels;
    this.#words = words;
    this.#plan = place.plan;
    this.#tree = place.tree;
  }

  copy(target: number, source: number, byteLength: number): void {
    if (target !== source) this.#kernels.copy(target, source, byteLength);
  }

  /** Combines the contributions of all ranks, in the order of the tree. */
  reduce({ typeCode, reduction }: Plan, sources: readonly number[], target: Target): void {
    const { code, divisor, preScale, postScale } = reduction!;
    if (code === OP_CODES.scaled) {
      const factors = new Float64Array(this.#words.buffer, this.#plan + 4 * PLAN.pre, 2);
      factors[0] = preScale;
      factors[1] = postScale;
    }
    this.#run(typeCode * 256 + code, divisor, sources, target);
  }

  /** Combines two, left and right; an average is a sum until the end. */
  combine({ typeCode, reduction }: Plan, sources: readonly number[], target: Target): void {
    const { code } = reduction!;
    const step = code === OP_CODES.average ? OP_CODES.sum : code;
    this.#run(typeCode * 256 + step, 1, sources, target);
  }

  /** Divides a sum by the ranks. */
  divide({ typeCode, ranks }: Plan, target: Target): void {
    const code = typeCode * 256 + OP_CODES.average;
    this.#run(code, ranks, [target.address], target);
  }

  #run(
    code: number,
    divisor: number,
    sources: readonly number[],
    { address, byteLength }: Target,
  ): void {
    const words = this.#words;
    const first = this.#plan / 4;
    const targets = plannedTargets(sources.length, 1);
    this.#writeTree(sources.length);
    words[first + PLAN.code] = code;
    words[first + PLAN.sourceCount] = sources.length;
    words[first + PLAN.targetCount] = targets;
    words[first + PLAN.ranks] = divisor;
    words[first + PLAN.tree] = this.#tree;
    const addresses = first + PLAN.addresses;
    for (let i = 0; i < sources.length; i++) words[addresses + i] = sources[i]!;
    for (let i = 0; i < targets; i++) words[addresses + sources.length + i] = address;
    this.#kernels.reduce(this.#plan, 0, byteLength);
  }

  #writeTree(sources: number): void {
    if (sources === this.#treeSources) return;
    this.#treeSources = sources;
    reductionTree(sources).forEach(({ rank, merges }, i) => {
      this.#words[this.#tree / 4 + TURN.words * i + TURN.rank] = rank;
      this.#words[this.#tree / 4 + TURN.words * i + TURN.merges] = merges;
    });
  }
}
