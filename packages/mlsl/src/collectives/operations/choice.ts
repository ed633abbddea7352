/** Chooses the algorithm of operations that name none. */

import {
  type ChoiceTable,
  chooseAlgorithm,
  KINDS_WITHOUT_BYTES,
} from "../../schedules/choice/choiceTable.js";
import { SHARED_MEMORY_CHOICES } from "../../schedules/choice/defaultTables.js";
import { algorithmNamed, DIRECT, hasMessages } from "./algorithms.js";
import type { Operation } from "./operation.js";
import { whyNotByMessages } from "./operators.js";

/** What is used without a table: ranks that share memory move data directly. */
export const DEFAULT_CHOICES: ChoiceTable = SHARED_MEMORY_CHOICES;

/** A table with the default behind it, for what it does not mention. */
export function withDefaults({ version, entries }: ChoiceTable): ChoiceTable {
  return { version, entries: [...entries, ...DEFAULT_CHOICES.entries] };
}

/** Bytes of an operation as tables mean them: of vectors, or of all blocks together. */
function bytesOf({ kind, count, type }: Operation, ranks: number): number {
  if (KINDS_WITHOUT_BYTES.has(kind)) return 0;
  const blocks = kind === "reduceScatter" || kind === "allgather" ? ranks : 1;
  return count * blocks * (type?.byteLength ?? 1);
}

/**
 * The operation with the algorithm that a table says. Where that cannot carry it out it goes directly,
 * as without a table: every rank comes to the same.
 */
export function chosen(operation: Operation, ranks: number, table: ChoiceTable): Operation {
  const { kind, type, operator } = operation;
  if (table === DEFAULT_CHOICES || !hasMessages(kind)) return operation;
  const inOrder = operator?.user !== undefined;
  const byteLength = bytesOf(operation, ranks);
  const name = chooseAlgorithm(table, { kind, ranks, byteLength, inOrder });
  const algorithm = algorithmNamed(kind, name);
  const reason =
    algorithm === DIRECT || operator === undefined
      ? undefined
      : whyNotByMessages(type!, operator, algorithm);
  return reason === undefined ? { ...operation, algorithm } : operation;
}
