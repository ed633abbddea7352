/** Reductions by an operator of the user. */

import type { ElementArray } from "../../memory/dataTypes.js";
import type { UserOperator } from "../operations/operators.js";

/** A typed array can be copied. */
type Copied = ElementArray & { slice(): ElementArray };

/**
 * Combines the sources in their order, ((s0 ∘ s1) ∘ s2) ∘ …, and writes the result to all targets.
 * Targets may be sources.
 */
export function reduceByUser(
  { combine }: UserOperator,
  sources: readonly ElementArray[],
  targets: readonly ElementArray[],
): void {
  const [first, ...others] = sources;
  const accumulated = (first as Copied).slice();
  for (const values of others) combine(accumulated, values);
  for (const target of targets) copyElements(target, accumulated);
}

function copyElements(target: ElementArray, source: ElementArray): void {
  const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes);
}
