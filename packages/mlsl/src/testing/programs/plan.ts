/** One operation of a random program, as plain data: every rank can work out what all others do. */

import type { CollectiveKind } from "../../collectives/operations/operation.js";
import type { DataType } from "../../memory/dataTypes.js";

/** An element: integers are bigints, whatever their width. */
export type Value = number | bigint;

/** What a buffer holds. */
export interface Values {
  readonly type: DataType;
  readonly count: number;
  at(index: number): Value;
}

/** What one rank does. */
export interface RankPart {
  readonly kind: CollectiveKind | "send" | "recv" | "sendrecv";
  /** What the buffer holds that is read. */
  readonly send?: Values | undefined;
  /** What the buffer holds afterwards that is written; before, it holds {@link UNTOUCHED}. */
  readonly recv?: Values | undefined;
  /** Whether both are the same array. */
  readonly inPlace?: boolean;
  readonly options: object;
}

/** An operation: what each rank of the group does, undefined for those that take no part. */
export interface Plan {
  readonly parts: readonly (RankPart | undefined)[];
}

/** Holds in every type; what nobody writes stays so. */
export const UNTOUCHED = 1;

/** A plan in words, for failures. */
export function planText({ parts }: Plan): string {
  return parts
    .map((part, rank) => {
      if (part === undefined) return `${rank}: -`;
      const { kind, send, recv, inPlace, options } = part;
      const [from, to] = [send, recv].map((v) => v && `${v.count} ${v.type}`);
      const place = inPlace === true ? " in place" : "";
      return `${rank}: ${kind} ${from} -> ${to}${place} ${JSON.stringify(options)}`;
    })
    .join("; ");
}
