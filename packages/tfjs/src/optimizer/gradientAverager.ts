/**
 * Averages of gradients over the ranks, by one all-reduce of one flat buffer in the group's shared
 * memory, allocated once.
 *
 * Each rank writes its weight, a 1, a 1 for each parameter that has a gradient, and the gradients
 * times its weight. The average over the ranks then holds all that is needed: what is wanted is
 * gradients / weight, a parameter that only some ranks used is seen in every step, and a rank
 * without a batch takes part by writing zeros.
 *
 * A rank's weight is its batch size in units of the usual one. As long as all batches have that
 * size the weights are 1, and the gradients are copied and averaged without any other rounding, at
 * the speed of memory.
 */

import type { Tensor } from "@tensorflow/tfjs-core";
import type { Group } from "mlsl";
import { agreeOnEntries } from "../agreement/agreeOnEntries.js";
import { allocateAgreed } from "../agreement/allocateAgreed.js";
import { cutIntoPieces } from "../agreement/cutIntoPieces.js";
import { type FlatLayout, HEAD, isLaidOut, layOut, type Parameter } from "./flatLayout.js";
import { scaleInto } from "./scaleInto.js";
import { isWritable, type Target, targetOf, valuesOf } from "./tensorValues.js";

/** A parameter, and its gradient on this rank where it has one. */
export interface Gradient extends Parameter {
  readonly tensor?: Tensor | undefined;
}

/** What a step has brought. */
export interface Average {
  /** Whether any rank had a batch. Otherwise there are no gradients. */
  readonly isActive: boolean;
  /** For each parameter its average; without a tensor where no rank had a gradient. */
  readonly gradients: readonly { readonly name: string; readonly tensor?: Tensor }[];
  /** Tensors that were made for it and belong to the caller. */
  readonly made: readonly Tensor[];
}

/** What the buffer holds at a time. */
interface Piece {
  /** All of it, to be averaged. */
  readonly values: Float32Array;
  readonly parts: readonly GradientPart[];
}

/** The part of a gradient that is in a piece. */
interface GradientPart {
  /** Index of the parameter. */
  readonly index: number;
  /** First element of the gradient that is in it. */
  readonly from: number;
  readonly values: Float32Array;
}

/** What was prepared for a set of parameters. */
interface Prepared {
  /** Batch size that has the weight 1, the same on all ranks: the mean of the step before. */
  usualBatchSize: number;
  readonly layout: FlatLayout;
  readonly pieces: readonly Piece[];
  readonly owned: Float32Array;
}

/** A parameter during a step. */
interface Slot {
  /** None if this rank has no gradient for it. */
  readonly source: Float32Array | undefined;
  /** None if nothing is to be written. */
  readonly target: Float32Array | undefined;
}

/** Averages the gradients of a set of parameters, step after step. */
export class GradientAverager {
  readonly #group: Group;
  #prepared: Prepared | undefined;

  constructor(group: Group) {
    this.#group = group;
  }

  /** The parameters of the last step; undefined before the first one. */
  get parameters(): readonly Parameter[] | undefined {
    return this.#prepared?.layout.parameters;
  }

  /**
   * Averages over the ranks. A collective operation.
   *
   * @param gradients on all ranks the same parameters in the same order. Where the backend lets
   *   it, the average is written into the tensors given.
   * @param batchSize samples behind this rank's gradients; undefined if it has no batch and only
   *   takes part
   * @throws {Error} On every rank, if the parameters differ, or some ranks have a gradient for a
   *   parameter and others do not; the error names it.
   * @throws {RangeError} On every rank, if the weights of the ranks add up to 0.
   */
  average(gradients: readonly Gradient[], batchSize: number | undefined): Average {
    const prepared = this.#prepare(gradients, batchSize);
    // Tensors are made before any view is taken, since making one may move the heap.
    const targets = gradients.map((gradient) => makeTarget(gradient, batchSize === undefined));
    const slots = gradients.map(({ tensor }, i) => ({
      source: tensor && valuesOf(tensor),
      target: targets[i]?.values(),
    }));
    // Rounded here, so that the weight is the very factor of the gradients.
    const weight =
      batchSize === undefined ? undefined : Math.fround(batchSize / prepared.usualBatchSize);
    const head = this.#exchange(prepared, slots, weight);
    if (head[HEAD.active] !== 0) {
      const meanWeight = (head[HEAD.weight] as number) / (head[HEAD.active] as number);
      prepared.usualBatchSize = Math.max(1, Math.round(prepared.usualBatchSize * meanWeight));
    }
    return collect(gradients, targets, head);
  }

  /** Gives the buffer back. */
  dispose(): void {
    if (this.#prepared) this.#group.free(this.#prepared.owned);
    this.#prepared = undefined;
  }

  #prepare(gradients: readonly Gradient[], batchSize: number | undefined): Prepared {
    if (this.#prepared && isLaidOut(gradients, this.#prepared.layout)) return this.#prepared;
    for (const { name, tensor } of gradients) {
      if (tensor && tensor.dtype !== "float32") {
        throw new TypeError(
          `Cannot average the gradient of "${name}": expected float32, got ${tensor.dtype}`,
        );
      }
    }
    const parameters = gradients.map(({ name, shape }) => ({ name, shape: [...shape] }));
    const entries = parameters.map(({ name, shape }) => ({ name, value: JSON.stringify(shape) }));
    agreeOnEntries(this.#group, entries, {
      action: "Cannot average gradients",
      remedy: "build the same model, with the same layer names, on every rank",
    });
    this.dispose();
    const layout = layOut(parameters);
    const wanted = { count: layout.totalCount, least: layout.leastCount };
    const { array, owned } = allocateAgreed(this.#group, "float32", wanted);
    const largest = Float64Array.of(batchSize ?? 0);
    this.#group.allreduceSync(largest, largest, { op: "max" });
    const usualBatchSize = Math.max(1, largest[0] as number);
    this.#prepared = { usualBatchSize, layout, pieces: viewPieces(layout, array), owned };
    return this.#prepared;
  }

  /** Averages piece by piece, from sources to targets. @returns the averages in the head */
  #exchange(
    { layout, pieces }: Prepared,
    slots: readonly Slot[],
    weight: number | undefined,
  ): Float32Array {
    let head: Float32Array | undefined;
    for (const { values, parts } of pieces) {
      if (!head) writeHead(values.subarray(0, layout.headCount), slots, weight);
      for (const part of parts) {
        const source = slots[part.index]?.source;
        // A weight of 0 takes nothing of the source, not even its NaN.
        if (!source || !weight) part.values.fill(0);
        else scaleInto(part.values, sameRange(source, part), weight);
      }
      this.#group.allreduceSync(values, values, { op: "average" });
      head ??= this.#checkHead(values.slice(0, layout.headCount), layout);
      if (head[HEAD.active] === 0) return head;
      for (const part of parts) {
        const target = slots[part.index]?.target;
        const meanWeight = head[HEAD.weight] as number;
        if (target) scaleInto(sameRange(target, part), part.values, 1 / meanWeight);
      }
    }
    return head as Float32Array;
  }

  #checkHead(head: Float32Array, { parameters }: FlatLayout): Float32Array {
    const active = head[HEAD.active] as number;
    if (active > 0 && head[HEAD.weight] === 0) {
      throw new RangeError(
        "Cannot average gradients: expected a batch size of more than 0 on at least one rank, " +
          "got 0 on all of them",
      );
    }
    for (const [i, { name }] of parameters.entries()) {
      const having = head[HEAD.firstFlag + i] as number;
      if (having === 0 || having === active) continue;
      const [some, all] = [having, active].map((mean) => Math.round(mean * this.#group.ranks));
      throw new Error(
        `Cannot average the gradient of "${name}": ${some} of ${all} ranks have one; ` +
          "let the loss depend on it on all ranks or on none",
      );
    }
    return head;
  }
}

/** The buffer's pieces, as views that are made once. */
function viewPieces(layout: FlatLayout, buffer: Float32Array): Piece[] {
  return cutIntoPieces(layout.counts, buffer.length).map(({ count, parts }) => ({
    values: buffer.subarray(0, count),
    parts: parts.flatMap(({ index, from, at, count }) =>
      // The first of the arrays is the head.
      index === 0 ? [] : [{ index: index - 1, from, values: buffer.subarray(at, at + count) }],
    ),
  }));
}

function makeTarget({ tensor, shape }: Gradient, isIdle: boolean): Target | undefined {
  if (tensor) return targetOf(isWritable(tensor) ? tensor : undefined, shape);
  // Whether others have a gradient is known only afterwards, so an idle rank is ready for all.
  return isIdle ? targetOf(undefined, shape) : undefined;
}

function writeHead(head: Float32Array, slots: readonly Slot[], weight: number | undefined): void {
  head.fill(0);
  if (weight === undefined) return;
  head[HEAD.weight] = weight;
  head[HEAD.active] = 1;
  for (const [i, { source }] of slots.entries()) head[HEAD.firstFlag + i] = source ? 1 : 0;
}

function sameRange(values: Float32Array, { from, values: part }: GradientPart) {
  return values.subarray(from, from + part.length);
}

function collect(
  gradients: readonly Gradient[],
  targets: readonly (Target | undefined)[],
  head: Float32Array,
): Average {
  const made: Tensor[] = [];
  const averaged = gradients.map(({ name, tensor }, i) => {
    const result = targets[i]?.toTensor();
    if (result && result !== tensor) made.push(result);
    const isUsed = result !== undefined && head[HEAD.firstFlag + i] !== 0;
    return isUsed ? { name, tensor: result } : { name };
  });
  return { isActive: head[HEAD.active] !== 0, gradients: averaged, made };
}
