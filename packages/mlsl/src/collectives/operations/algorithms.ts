/** Names and codes of the ways in which a collective can move its data between ranks of one host. */

import { ALGORITHMS, findAlgorithm } from "../../schedules/transport/registry.js";
import type { ShapeOf } from "../../schedules/transport/shapes.js";
import type { CollectiveKind } from "./operation.js";

/** A way to move data. */
export interface Algorithm {
  readonly name: string;
  /** For fingerprints; unique among those of a collective. */
  readonly code: number;
  /** Whether contributions are combined in the order of the ranks. */
  readonly keepsOrder: boolean;
}

/** Every rank reads and writes where the data lies. */
export const DIRECT: Algorithm = { name: "direct", code: 0, keepsOrder: true };

/** Collectives that schedules of messages can carry out here. */
export type MessageKind = Exclude<
  keyof ShapeOf,
  "allgatherv" | "gatherv" | "scatterv" | "reduceScatterv" | "alltoallv"
>;

/** Whether schedules of messages can carry out a collective: not where counts differ by rank. */
export function hasMessages(kind: CollectiveKind): kind is MessageKind {
  return !kind.endsWith("v");
}

/** The names of a collective's algorithms, "direct" first. */
export function algorithmsOf(kind: CollectiveKind): string[] {
  const messages = hasMessages(kind) ? ALGORITHMS[kind].map(({ name }) => name) : [];
  return [DIRECT.name, ...messages];
}

/**
 * The algorithm of a name.
 *
 * @throws {RangeError} If the collective has none of that name; lists those that it has.
 */
export function algorithmNamed(kind: CollectiveKind, name: string): Algorithm {
  if (name === DIRECT.name) return DIRECT;
  const names = algorithmsOf(kind);
  if (!hasMessages(kind) || !names.includes(name)) {
    throw new RangeError(
      `Cannot ${kind}: algorithm must be one of ${names.join(", ")}, got "${String(name)}"`,
    );
  }
  return findAlgorithm(kind, name);
}

/** The name of the algorithm that has a code, for messages. */
export function algorithmName(kind: CollectiveKind, code: number): string {
  if (code === DIRECT.code) return DIRECT.name;
  const known = hasMessages(kind) ? ALGORITHMS[kind] : [];
  return known.find((algorithm) => algorithm.code === code)?.name ?? `algorithm ${code}`;
}
