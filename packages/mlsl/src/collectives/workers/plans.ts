/** Describes operations to workers. */

import { OP_CODES } from "../../kernels/kernels.js";
import type { Plan, PlanReduction } from "../../progress/plan.js";
import type { ExecutionContext } from "../execution/meeting.js";
import type { Prepared } from "../execution/prepared.js";
import type { Operation } from "../operations/operation.js";

function reductionOf({ operator }: Operation, ranks: number): PlanReduction | undefined {
  if (operator?.kernel === undefined) return undefined;
  const { kernel, divides, preScale, postScale } = operator;
  return { code: OP_CODES[kernel], divisor: divides ? ranks : 1, preScale, postScale };
}

/** The plan of an operation of a group, and a key that only equal plans have. */
export function planOf(
  { rank, ranks }: ExecutionContext,
  { operation, print, gives, gets }: Prepared,
  sendInRecv: number | undefined,
): { readonly key: string; readonly make: () => Plan } {
  const { kind, details, root, count, type, tables, algorithm } = operation;
  const numbers = [print.kind, print.countLow, print.countHighAndRoot, print.extra] as const;
  const roles = `${gives}.${gets}.${sendInRecv ?? ""}`;
  const counts = tables === undefined ? "" : JSON.stringify(tables);
  const key = `${numbers.join(".")}.${count}|${roles}|${counts}|${details}`;
  const make = (): Plan => {
    const reduction = reductionOf(operation, ranks);
    return {
      kind,
      fingerprint: numbers,
      details,
      rank,
      ranks,
      root,
      count,
      typeCode: type?.code ?? 0,
      elementBytes: type?.byteLength ?? 1,
      ...(reduction === undefined ? {} : { reduction }),
      ...(isByUser(operation) ? { meetsOnly: true } : {}),
      algorithm: algorithm.name,
      ...(sendInRecv === undefined ? {} : { sendInRecv }),
      ...(tables === undefined ? {} : { tables }),
    };
  };
  return { key, make };
}

/** Whether a function of the user combines: only the rank's own thread can call it. */
export function isByUser({ operator }: Operation): boolean {
  return operator?.user !== undefined;
}
