/**
 * Training repeats itself: what was prepared for the last call of a collective often serves the
 * next, which then costs a comparison.
 */

import type { Prepared } from "../execution/prepared.js";
import type { Call } from "../groups/operationForms.js";
import type { CollectiveKind } from "../operations/operation.js";
import type { ReduceRootOptions, WaitOptions } from "../options.js";
import type { CollectiveTask } from "./task.js";

/** All that options of operations may hold but lists, which are not compared. */
type Fields = ReduceRootOptions;

interface Kept {
  readonly call: Call;
  /** A copy of the call's options: the caller may change them. */
  readonly options: Fields;
  readonly task: CollectiveTask;
}

const NO_OPTIONS: Fields = {};

function fieldsOf(options: WaitOptions | undefined): Fields {
  return options ?? NO_OPTIONS;
}

/** Without options it is always the same object, so that a look suffices. */
function copyOf(options: WaitOptions | undefined): Fields {
  return options === undefined ? NO_OPTIONS : { ...options };
}

/** Field by field: walking over names would cost more than a small all-reduce. */
function sameFields(a: Fields, b: Fields): boolean {
  if (a === b) return true;
  return (
    a.op === b.op &&
    a.root === b.root &&
    a.timeoutMs === b.timeoutMs &&
    a.algorithm === b.algorithm &&
    a.preScale === b.preScale &&
    a.postScale === b.postScale &&
    a.rounding === b.rounding &&
    a.overflow === b.overflow &&
    a.widen === b.widen
  );
}

/** The last task of each collective. */
export class Reuse {
  readonly #kept = new Map<CollectiveKind, Kept>();

  /** The task of the last call of a collective, if this one is the same. */
  find({ kind, send, recv, options }: Call): CollectiveTask | undefined {
    const kept = this.#kept.get(kind);
    if (kept === undefined || kept.call.send !== send || kept.call.recv !== recv) return undefined;
    return sameFields(kept.options, fieldsOf(options)) ? kept.task : undefined;
  }

  /** Keeps a task for calls like this one. */
  keep(call: Call, { operation, send, recv }: Prepared, task: CollectiveTask): void {
    // Only an array of the segment is sure to keep its length and place, and lists of counts may
    // be changed by their owner.
    const isFixed =
      (call.send === undefined || send !== undefined) &&
      (call.recv === undefined || recv !== undefined) &&
      operation.tables === undefined;
    if (isFixed) this.#kept.set(call.kind, { call, options: copyOf(call.options), task });
    else this.#kept.delete(call.kind);
  }
}
