/**
 * Training repeats itself: what was prepared for the last call of a collective often serves the
 * next, which then costs a comparison.
 */

import type { Prepared } from "../execution/prepared.js";
import type { Call } from "../groups/operationForms.js";
import type { CollectiveKind } from "../operations/operation.js";
import type { BlockOptions, ExchangeOptions, ReduceRootOptions, WaitOptions } from "../options.js";
import type { Task } from "./task.js";

/** All that options of collectives may hold. */
type Fields = ReduceRootOptions & Partial<BlockOptions> & Partial<ExchangeOptions>;

interface Kept {
  readonly call: Call;
  /** A copy of the call's options: the caller may change them. */
  readonly options: Fields;
  readonly task: Task;
}

const NO_OPTIONS: Fields = {};

function fieldsOf(options: WaitOptions | undefined): Fields {
  return options ?? NO_OPTIONS;
}

/** Without options it is always the same object, so that a look suffices. */
function copyOf(options: WaitOptions | undefined): Fields {
  if (options === undefined) return NO_OPTIONS;
  const copy: Record<string, unknown> = { ...options };
  for (const name in copy) if (Array.isArray(copy[name])) copy[name] = [...copy[name]];
  return copy as Fields;
}

function sameNumbers(a: readonly number[] | undefined, b: readonly number[] | undefined): boolean {
  if (a === b) return true;
  if (a?.length !== b?.length) return false;
  for (let i = 0; i < a!.length; i++) if (a![i] !== b![i]) return false;
  return true;
}

/** Field by field: walking over names would cost more than a small all-reduce. */
function sameFields(a: Fields, b: Fields): boolean {
  if (a === b) return true;
  return (
    a.op === b.op &&
    a.root === b.root &&
    a.timeoutMs === b.timeoutMs &&
    a.name === b.name &&
    a.priority === b.priority &&
    a.algorithm === b.algorithm &&
    Object.is(a.preScale, b.preScale) &&
    Object.is(a.postScale, b.postScale) &&
    a.rounding === b.rounding &&
    a.overflow === b.overflow &&
    a.widen === b.widen &&
    sameNumbers(a.counts, b.counts) &&
    sameNumbers(a.offsets, b.offsets) &&
    sameNumbers(a.sendCounts, b.sendCounts) &&
    sameNumbers(a.sendOffsets, b.sendOffsets) &&
    sameNumbers(a.recvCounts, b.recvCounts) &&
    sameNumbers(a.recvOffsets, b.recvOffsets)
  );
}

/** The last task of each collective. */
export class Reuse {
  readonly #kept = new Map<CollectiveKind, Kept>();

  /** The task of the last call of a collective, if this one is the same. */
  find({ kind, send, recv, options }: Call): Task | undefined {
    const kept = this.#kept.get(kind);
    if (kept === undefined || kept.call.send !== send || kept.call.recv !== recv) return undefined;
    return sameFields(kept.options, fieldsOf(options)) ? kept.task : undefined;
  }

  /** Keeps a task for calls like this one. */
  keep(call: Call, { send, recv }: Prepared, task: Task): void {
    // Only an array of the segment is sure to keep its length and place.
    const isFixed =
      (call.send === undefined || send !== undefined) &&
      (call.recv === undefined || recv !== undefined);
    if (isFixed) this.#kept.set(call.kind, { call, options: copyOf(call.options), task });
    else this.#kept.delete(call.kind);
  }
}
