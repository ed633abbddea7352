/** Checks the arguments of operations that move blocks of one count, and makes operations of them. */

import type { ElementArray } from "../../memory/dataTypes.js";
import { algorithmNamed } from "../operations/algorithms.js";
import { type CollectiveKind, newOperation, type Operation } from "../operations/operation.js";
import type { AlgorithmOptions, RootOptions } from "../options.js";
import {
  checkOptions,
  checkOverlap,
  checkRank,
  checkSameOrApart,
  checkSameType,
  elements,
  type GroupShape,
  typeOfNeeded,
} from "./checks.js";

type Buffer = ElementArray | undefined;

function algorithmOf(kind: CollectiveKind, { algorithm = "direct" }: AlgorithmOptions) {
  return algorithmNamed(kind, algorithm);
}

/** @throws {RangeError} If the root is not a rank of the group. */
export function broadcastOperation(
  buffer: ElementArray,
  shape: GroupShape,
  options: RootOptions = {},
): Operation {
  checkOptions("broadcast", options);
  const { root = 0 } = options;
  const type = typeOfNeeded("broadcast", "buffer", buffer);
  checkRank("broadcast", "root", root, shape);
  const algorithm = algorithmOf("broadcast", options);
  const count = buffer.length;
  return newOperation(
    "broadcast",
    { type, algorithm },
    { root, count, send: buffer, recv: buffer },
  );
}

/** The larger of two buffers holds a block for every rank. */
function checkBlocks(
  kind: string,
  { whole, block, ranks }: { whole: ElementArray; block: ElementArray; ranks: number },
  names: readonly [whole: string, block: string],
): void {
  if (whole.length === ranks * block.length) return;
  throw new RangeError(
    `Cannot ${kind}: ${names[0]} must have ${ranks} times the count of ${names[1]}, ` +
      `got ${elements(whole)} and ${elements(block)}`,
  );
}

/**
 * @throws {TypeError} If types differ.
 * @throws {RangeError} If recv does not have ranks × the count of send, or overlaps with it other
 *   than by send being this rank's part.
 */
export function allgatherOperation(
  send: ElementArray,
  recv: ElementArray,
  shape: GroupShape,
  options: AlgorithmOptions = {},
): Operation {
  checkOptions("allgather", options);
  return gathering("allgather", { send, recv }, shape, { ...options, root: shape.rank });
}

/** As {@link allgatherOperation}, for the root; the others need no recv. */
export function gatherOperation(
  send: ElementArray,
  recv: Buffer,
  shape: GroupShape,
  options: RootOptions = {},
): Operation {
  checkOptions("gather", options);
  return gathering("gather", { send, recv }, shape, options);
}

function gathering(
  kind: "gather" | "allgather",
  { send, recv }: { send: ElementArray; recv: Buffer },
  shape: GroupShape,
  options: RootOptions,
): Operation {
  const { root = 0 } = options;
  const type = typeOfNeeded(kind, "send", send);
  checkRank(kind, "root", root, shape);
  const way = { type, algorithm: algorithmOf(kind, options) };
  const count = send.length;
  if (shape.rank !== root) return newOperation(kind, way, { root, count, send });
  typeOfNeeded(kind, "recv", recv!);
  checkSameType(kind, send, recv!);
  checkBlocks(kind, { whole: recv!, block: send, ranks: shape.ranks }, ["recv", "send"]);
  const own = { inner: send, whole: recv!, part: shape.rank * send.length };
  checkOverlap(kind, own, `send overlaps with recv, but is not rank ${shape.rank}'s part of it`);
  const commonRoot = kind === "gather" ? root : 0;
  return newOperation(kind, way, { root: commonRoot, count, send, recv });
}

/**
 * @throws {TypeError} If types differ.
 * @throws {RangeError} If send does not have ranks × the count of recv, or overlaps with it other
 *   than by recv being this rank's part.
 */
export function scatterOperation(
  send: Buffer,
  recv: ElementArray,
  shape: GroupShape,
  options: RootOptions = {},
): Operation {
  checkOptions("scatter", options);
  const { root = 0 } = options;
  const type = typeOfNeeded("scatter", "recv", recv);
  checkRank("scatter", "root", root, shape);
  const way = { type, algorithm: algorithmOf("scatter", options) };
  const count = recv.length;
  if (shape.rank !== root) return newOperation("scatter", way, { root, count, recv });
  typeOfNeeded("scatter", "send", send!);
  checkSameType("scatter", send!, recv);
  checkBlocks("scatter", { whole: send!, block: recv, ranks: shape.ranks }, ["send", "recv"]);
  const own = { inner: recv, whole: send!, part: shape.rank * count };
  checkOverlap(
    "scatter",
    own,
    `recv overlaps with send, but is not rank ${shape.rank}'s part of it`,
  );
  return newOperation("scatter", way, { root, count, send, recv });
}

/**
 * @throws {TypeError} If types differ.
 * @throws {RangeError} If counts differ or are no multiple of the ranks, or the arrays overlap
 *   without being the same.
 */
export function alltoallOperation(
  send: ElementArray,
  recv: ElementArray,
  { ranks }: GroupShape,
  options: AlgorithmOptions = {},
): Operation {
  checkOptions("alltoall", options);
  const type = typeOfNeeded("alltoall", "send", send);
  typeOfNeeded("alltoall", "recv", recv);
  checkSameType("alltoall", send, recv);
  if (send.length !== recv.length || send.length % ranks !== 0) {
    throw new RangeError(
      `Cannot alltoall: send and recv must have equal counts, a multiple of ${ranks}, ` +
        `got ${elements(send)} and ${elements(recv)}`,
    );
  }
  checkSameOrApart("alltoall", send, recv);
  const algorithm = algorithmOf("alltoall", options);
  const count = send.length / ranks;
  return newOperation("alltoall", { type, algorithm }, { count, send, recv });
}

/** A barrier. */
export function barrierOperation(options: AlgorithmOptions = {}): Operation {
  checkOptions("barrier", options);
  return newOperation("barrier", { algorithm: algorithmOf("barrier", options) }, {});
}
