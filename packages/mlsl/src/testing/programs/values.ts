/** What the buffers of random programs hold. */

import { DATA_TYPES, type DataType, dataTypeInfo } from "../../memory/dataTypes.js";
import type { Random } from "../../simulation/random.js";
import { UNTOUCHED, type Value, type Values } from "./plan.js";

/** Buffers repeat themselves after so many elements, which divides nothing that moves data. */
export const PERIOD = 7;

const TYPES = DATA_TYPES.map(({ name }) => name);

/** A number as an element of a type. */
export function elementOf(type: DataType, value: number): Value {
  return dataTypeInfo(type).family === "int" ? BigInt(value) : value;
}

/** One of the types. */
export function anyType(random: Random): DataType {
  return random.pick(TYPES);
}

/** A number of elements: mostly few, sometimes none, rarely so many that they pass in chunks. */
export function anyCount(type: DataType, random: Random): number {
  const kind = random.below(100);
  if (kind < 10) return 0;
  if (kind < 88) return 1 + random.below(24);
  if (kind < 98) return random.below(400);
  return Math.floor(70000 / dataTypeInfo(type).byteLength) + random.below(100);
}

/** Small whole numbers for each rank: sums and products are exact in every type. */
export function anyTables(type: DataType, ranks: number, random: Random): Value[][] {
  const lowest = type.startsWith("u") ? 0 : -3;
  return Array.from({ length: ranks }, () =>
    Array.from({ length: PERIOD }, () => elementOf(type, lowest + random.below(9))),
  );
}

/** A buffer that repeats a table, from its element `first` on. */
export function repeated(
  type: DataType,
  count: number,
  table: readonly Value[],
  first = 0,
): Values {
  return { type, count, at: (index) => table[(first + index) % PERIOD]! };
}

/** A buffer in which blocks lie; what is between them is untouched. */
export function composed(
  type: DataType,
  count: number,
  blocks: readonly { offset: number; values: Values }[],
): Values {
  const elements = new Array<Value>(count).fill(elementOf(type, UNTOUCHED));
  for (const { offset, values } of blocks) {
    for (let i = 0; i < values.count; i++) elements[offset + i] = values.at(i);
  }
  return { type, count, at: (index) => elements[index]! };
}
