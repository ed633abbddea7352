/**
 * Averages of gradients over the ranks, by one all-reduce of one flat buffer in the group's shared
 * memory, allocated once.
 *
 * Each rank writes its batch size, a 1, a 1 for each parameter that has a gradient, and the
 * gradients times its batch size. The sum over the ranks then holds all that is needed: the average
 * is gradients / batch sizes, a parameter that only some ranks used is seen in every step, and a
 * rank without a batch takes part by writing zeros.
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
  /** How many ranks had a batch. With none there are no gradients. */
  readonly activeRanks: number;
  /** For each parameter its average; without a tensor where no rank had a gradient. */
  readonly gradients: readonly { readonly name: string; readonly tensor?: Tensor }[];
  /** Tensors that were made for it and belong to the caller. */
  readonly made: readonly Tensor[];
}

/** What the buffer holds at a time. */
interface Piece {
  /** All of it, to be summed. */
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
   * @param weight this rank's batch size; undefined if it has no batch and only takes part
   * @throws {Error} On every rank, if the parameters differ, or some ranks have a gradient for a
   *   parameter and others do not; the error names it.
   * @throws {RangeError} On every rank, if the weights of the ranks add up to 0.
   */
  average(gradients: readonly Gradient[], weight: number | undefined): Average {
    const { layout, pieces } = this.#prepare(gradients);
    // Tensors are made before any view is taken, since making one may move the heap.
    const targets = gradients.map((gradient) => makeTarget(gradient, weight === undefined));
    const slots = gradients.map(({ tensor }, i) => ({
      source: tensor && valuesOf(tensor),
      target: targets[i]?.values(),
    }));
    const head = this.#sum(layout, pieces, { slots, weight });
    return collect(gradients, targets, head);
  }

  /** Gives the buffer back. */
  dispose(): void {
    if (this.#prepared) this.#group.free(this.#prepared.owned);
    this.#prepared = undefined;
  }

  #prepare(gradients: readonly Gradient[]): Prepared {
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
    this.#prepared = { layout, pieces: viewPieces(layout, array), owned };
    return this.#prepared;
  }

  /** Sums piece by piece, from the sources to the targets. @returns the sums in the head */
  #sum(
    layout: FlatLayout,
    pieces: readonly Piece[],
    step: { readonly slots: readonly Slot[]; readonly weight: number | undefined },
  ): Float32Array {
    let head: Float32Array | undefined;
    for (const { values, parts } of pieces) {
      if (!head) writeHead(values.subarray(0, layout.headCount), step);
      for (const part of parts) {
        const source = step.slots[part.index]?.source;
        // A weight of 0 takes nothing of the source, not even its NaN.
        if (!source || !step.weight) part.values.fill(0);
        else scaleInto(part.values, sameRange(source, part), step.weight);
      }
      this.#group.allreduceSync(values, values);
      head ??= this.#checkHead(values.slice(0, layout.headCount), layout);
      if (head[HEAD.activeRanks] === 0) return head;
      for (const part of parts) {
        const target = step.slots[part.index]?.target;
        const weightSum = head[HEAD.weight] as number;
        if (target) scaleInto(sameRange(target, part), part.values, 1 / weightSum);
      }
    }
    return head as Float32Array;
  }

  #checkHead(head: Float32Array, { parameters }: FlatLayout): Float32Array {
    const active = head[HEAD.activeRanks] as number;
    if (active > 0 && !((head[HEAD.weight] as number) > 0)) {
      throw new RangeError(
        "Cannot average gradients: the batch sizes of all ranks add up to " +
          `${head[HEAD.weight]}, expected more than 0`,
      );
    }
    for (const [i, { name }] of parameters.entries()) {
      const having = head[HEAD.firstFlag + i] as number;
      if (having === 0 || having === active) continue;
      throw new Error(
        `Cannot average the gradient of "${name}": ${having} of ${active} ranks have one; ` +
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

function writeHead(
  head: Float32Array,
  { slots, weight }: { readonly slots: readonly Slot[]; readonly weight: number | undefined },
): void {
  head.fill(0);
  if (weight === undefined) return;
  head[HEAD.weight] = weight;
  head[HEAD.activeRanks] = 1;
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
  return { activeRanks: head[HEAD.activeRanks] as number, gradients: averaged, made };
}
