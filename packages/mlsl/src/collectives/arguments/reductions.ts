/** Checks the arguments of reductions, and makes operations of them. */

import { type DataTypeInfo, dataTypeOf, type ElementArray } from "../../memory/dataTypes.js";
import { type Algorithm, algorithmNamed, DIRECT } from "../operations/algorithms.js";
import { newOperation, type Operation } from "../operations/operation.js";
import { type Operator, resolveOperator, whyNotByMessages } from "../operations/operators.js";
import type { ReduceBlockOptions, ReduceOptions, ReduceRootOptions } from "../options.js";
import { blockLayout, checkFits } from "./blocks.js";
import {
  checkOptions,
  checkOverlap,
  checkRank,
  checkSameOrApart,
  checkSameType,
  elements,
  type GroupShape,
  overlaps,
  typeOfNeeded,
} from "./checks.js";

type ReductionKind = "allreduce" | "reduce" | "reduceScatter" | "reduceScatterv";

interface Buffers {
  readonly send: ElementArray;
  readonly recv: ElementArray | undefined;
}

function widens(from: DataTypeInfo, to: DataTypeInfo): boolean {
  if (from.family !== to.family || from.byteLength > to.byteLength) return false;
  if (from.family === "float") return from === to || to.byteLength > 2;
  // An unsigned integer fits a wider signed one; a signed one never fits an unsigned one.
  return (
    from === to ||
    (from.name.startsWith("u") ? from.byteLength < to.byteLength : !to.name.startsWith("u"))
  );
}

/** The type in which contributions are combined: that of recv. Without recv, that of send. */
function reducedType(kind: ReductionKind, { send, recv }: Buffers, { widen }: ReduceOptions) {
  const sendType = typeOfNeeded(kind, "send", send);
  if (recv === undefined) return sendType;
  const recvType = typeOfNeeded(kind, "recv", recv);
  if (widen !== true) {
    checkSameType(kind, send, recv);
    return sendType;
  }
  if (
    !widens(sendType, recvType) ||
    (recvType.byteLength === 8 && recvType.family === "int" && sendType !== recvType)
  ) {
    throw new TypeError(
      `Cannot ${kind}: with widen, recv must have a wider type of the same kind than send, ` +
        `of at most 32 bits for integers, got ${elements(send)} and ${elements(recv)}`,
    );
  }
  return recvType;
}

function common(kind: ReductionKind, buffers: Buffers, options: ReduceOptions) {
  checkOptions(kind, options);
  const type = reducedType(kind, buffers, options);
  const operator: Operator = resolveOperator(type, options);
  const algorithm = algorithmNamed(kind, options.algorithm ?? "direct");
  if (algorithm !== DIRECT) checkByMessages(kind, { type, operator, algorithm });
  const widenText = options.widen === true ? "widened" : "";
  const details = [operator.details, widenText].filter((text) => text !== "").join(", ");
  return { type, operator, algorithm, details };
}

/**
 * Makes sure that combining in several places does not change the result.
 *
 * @throws {RangeError} If it would.
 */
function checkByMessages(
  kind: string,
  { type, operator, algorithm }: { type: DataTypeInfo; operator: Operator; algorithm: Algorithm },
): void {
  const reason = whyNotByMessages(type, operator, algorithm);
  if (reason === undefined) return;
  throw new RangeError(
    `Cannot ${kind} ${type.name} by ${operator.name} with algorithm ${algorithm.name}: ${reason}; ` +
      "use algorithm direct",
  );
}

function checkEqualCounts(kind: ReductionKind, { send, recv }: Buffers): void {
  if (recv === undefined) return;
  if (send.length !== recv.length) {
    throw new RangeError(
      `Cannot ${kind}: send and recv must have equal counts, got ${elements(send)} and ${elements(recv)}`,
    );
  }
  if (dataTypeOf(send) !== dataTypeOf(recv)) checkSeparate(kind, { send, recv });
  checkSameOrApart(kind, send, recv);
}

function checkSeparate(
  kind: ReductionKind,
  { send, recv }: { send: ElementArray; recv: ElementArray },
): void {
  if (overlaps(send, recv)) {
    throw new RangeError(`Cannot ${kind} in place: a wider recv needs memory of its own`);
  }
}

/**
 * @throws {TypeError} If types differ, or the operator does not fit them.
 * @throws {RangeError} If counts differ or the arrays overlap without being the same.
 */
export function allreduceOperation(
  send: ElementArray,
  recv: ElementArray,
  options: ReduceOptions = {},
): Operation {
  typeOfNeeded("allreduce", "recv", recv);
  const way = common("allreduce", { send, recv }, options);
  checkEqualCounts("allreduce", { send, recv });
  return newOperation("allreduce", way, { count: send.length, send, recv });
}

/** As {@link allreduceOperation}, for the root; the others need no recv. */
export function reduceOperation(
  send: ElementArray,
  recv: ElementArray | undefined,
  shape: GroupShape,
  options: ReduceRootOptions = {},
): Operation {
  checkOptions("reduce", options);
  const { root = 0 } = options;
  checkRank("reduce", "root", root, shape);
  if (options.widen === true || shape.rank === root) typeOfNeeded("reduce", "recv", recv!);
  // With widen, only the type of recv says what is combined, so all ranks give it.
  const way = common(
    "reduce",
    { send, recv: shape.rank === root || options.widen ? recv : undefined },
    options,
  );
  if (shape.rank === root) checkEqualCounts("reduce", { send, recv });
  const parts = { root, count: send.length, send };
  return newOperation("reduce", way, shape.rank === root ? { ...parts, recv } : parts);
}

/**
 * @throws {TypeError} If types differ, or the operator does not fit them.
 * @throws {RangeError} If send does not have ranks × the count of recv, or overlaps with it other
 *   than by recv being this rank's part.
 */
export function reduceScatterOperation(
  send: ElementArray,
  recv: ElementArray,
  { rank, ranks }: GroupShape,
  options: ReduceOptions = {},
): Operation {
  typeOfNeeded("reduceScatter", "recv", recv);
  const way = common("reduceScatter", { send, recv }, options);
  if (send.length !== ranks * recv.length) {
    throw new RangeError(
      `Cannot reduceScatter: send must have ${ranks} times the count of recv, ` +
        `got ${elements(send)} and ${elements(recv)}`,
    );
  }
  checkOwnPart("reduceScatter", { send, recv }, rank * recv.length, rank);
  return newOperation("reduceScatter", way, { count: recv.length, send, recv });
}

function checkOwnPart(
  kind: ReductionKind,
  { send, recv }: { send: ElementArray; recv: ElementArray },
  part: number,
  rank: number,
): void {
  if (dataTypeOf(send) !== dataTypeOf(recv)) checkSeparate(kind, { send, recv });
  const rule = `recv overlaps with send, but is not rank ${rank}'s part of it`;
  checkOverlap(kind, { inner: recv, whole: send, part }, rule);
}

/**
 * @throws {TypeError} If types differ, or the operator does not fit them.
 * @throws {RangeError} If counts do not fit the arrays, or these overlap other than by recv being
 *   this rank's part of send.
 */
export function reduceScattervOperation(
  send: ElementArray,
  recv: ElementArray,
  shape: GroupShape,
  options: ReduceBlockOptions,
): Operation {
  typeOfNeeded("reduceScatterv", "recv", recv);
  const way = common("reduceScatterv", { send, recv }, options);
  const { counts, offsets } = blockLayout("reduceScatterv", "counts", options.counts, {
    ranks: shape.ranks,
  });
  checkFits("reduceScatterv", "send", send, { counts, offsets });
  const own = counts[shape.rank]!;
  if (recv.length !== own) {
    throw new RangeError(
      `Cannot reduceScatterv: recv must have rank ${shape.rank}'s count of ${own}, got ${elements(recv)}`,
    );
  }
  checkOwnPart("reduceScatterv", { send, recv }, offsets[shape.rank]!, shape.rank);
  const tables = {
    sendCounts: counts,
    sendOffsets: offsets,
    recvCounts: counts.map(() => own),
    recvOffsets: counts.map(() => 0),
  };
  return newOperation("reduceScatterv", way, { tables, send, recv });
}
