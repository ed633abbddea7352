/** Names and codes of the ways in which a collective can move its data. */

import type { CollectiveKind } from "./operation.js";

/** A way to move data. */
export interface Algorithm {
  readonly name: string;
  /** For fingerprints; unique among those of a collective. */
  readonly code: number;
}

/** Every rank reads and writes where the data lies. */
export const DIRECT: Algorithm = { name: "direct", code: 0 };

/** Names of all algorithms of a collective. */
export function algorithmsOf(_kind: CollectiveKind): string[] {
  return [DIRECT.name];
}

/**
 * The algorithm of a name.
 *
 * @throws {RangeError} If the collective has none of that name; lists those that it has.
 */
export function algorithmNamed(kind: CollectiveKind, name: string): Algorithm {
  if (name === DIRECT.name) return DIRECT;
  throw new RangeError(`Cannot ${kind}: algorithm must be direct, got "${name}"`);
}

/** The name of the algorithm that has a code. */
export function algorithmName(_kind: CollectiveKind | undefined, code: number): string {
  return code === 0 ? DIRECT.name : `algorithm ${code}`;
}
