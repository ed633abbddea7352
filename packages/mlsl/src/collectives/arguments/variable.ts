/** Checks the arguments of operations whose blocks have different counts. */

import type { ElementArray } from "../../memory/dataTypes.js";
import { type BlockTables, newOperation, type Operation } from "../operations/operation.js";
import type { BlockOptions, ExchangeOptions, RootBlockOptions } from "../options.js";
import { blockLayout, checkDisjoint, checkFits } from "./blocks.js";
import {
  checkApart,
  checkOptions,
  checkOverlap,
  checkRank,
  checkSameType,
  elements,
  type GroupShape,
  typeOfNeeded,
} from "./checks.js";

type Buffer = ElementArray | undefined;

function zeros(ranks: number): number[] {
  return new Array<number>(ranks).fill(0);
}

function withOne(ranks: number, rank: number, value: number): number[] {
  return zeros(ranks).map((zero, r) => (r === rank ? value : zero));
}

/** The blocks that a rank gets, checked against its buffers. */
function receiving(
  kind: "allgatherv" | "gatherv",
  { send, recv }: { send: ElementArray; recv: ElementArray },
  { rank, ranks }: GroupShape,
  { counts: given, offsets: at }: RootBlockOptions,
) {
  typeOfNeeded(kind, "recv", recv);
  checkSameType(kind, send, recv);
  const layout = blockLayout(kind, "counts", given, { offsets: at, ranks });
  checkFits(kind, "recv", recv, layout);
  checkDisjoint(kind, "recv", layout);
  if (send.length !== layout.counts[rank]) {
    throw new RangeError(
      `Cannot ${kind}: send must have rank ${rank}'s count of ${layout.counts[rank]}, got ${elements(send)}`,
    );
  }
  const own = { inner: send, whole: recv, part: layout.offsets[rank]! };
  checkOverlap(kind, own, `send overlaps with recv, but is not rank ${rank}'s part of it`);
  return layout;
}

/**
 * @throws {TypeError} If types differ or counts are missing.
 * @throws {RangeError} If counts do not fit the arrays.
 */
export function allgathervOperation(
  send: ElementArray,
  recv: ElementArray,
  shape: GroupShape,
  options: BlockOptions,
): Operation {
  checkOptions("allgatherv", options);
  const type = typeOfNeeded("allgatherv", "send", send);
  const { counts, offsets } = receiving("allgatherv", { send, recv }, shape, options);
  const tables: BlockTables = {
    sendCounts: counts.map(() => send.length),
    sendOffsets: zeros(shape.ranks),
    recvCounts: counts,
    recvOffsets: offsets,
  };
  return newOperation("allgatherv", { type }, { tables, send, recv });
}

/** As {@link allgathervOperation}, for the root; the others need neither recv nor counts. */
export function gathervOperation(
  send: ElementArray,
  recv: Buffer,
  shape: GroupShape,
  options: RootBlockOptions = {},
): Operation {
  checkOptions("gatherv", options);
  const { root = 0 } = options;
  const { rank, ranks } = shape;
  const type = typeOfNeeded("gatherv", "send", send);
  checkRank("gatherv", "root", root, shape);
  const layout =
    rank === root
      ? receiving("gatherv", { send, recv: recv! }, shape, options)
      : { counts: zeros(ranks), offsets: zeros(ranks) };
  const tables: BlockTables = {
    sendCounts: withOne(ranks, root, send.length),
    sendOffsets: zeros(ranks),
    recvCounts: layout.counts,
    recvOffsets: layout.offsets,
  };
  const target = rank === root ? recv : undefined;
  return newOperation("gatherv", { type }, { root, tables, send, recv: target });
}

/**
 * @throws {TypeError} If types differ, or the root has no send or counts.
 * @throws {RangeError} If counts do not fit the arrays.
 */
export function scattervOperation(
  send: Buffer,
  recv: ElementArray,
  shape: GroupShape,
  options: RootBlockOptions = {},
): Operation {
  checkOptions("scatterv", options);
  const { root = 0 } = options;
  const { rank, ranks } = shape;
  const type = typeOfNeeded("scatterv", "recv", recv);
  checkRank("scatterv", "root", root, shape);
  const layout =
    rank === root
      ? giving(send!, recv, shape, options)
      : { counts: zeros(ranks), offsets: zeros(ranks) };
  const tables: BlockTables = {
    sendCounts: layout.counts,
    sendOffsets: layout.offsets,
    recvCounts: withOne(ranks, root, recv.length),
    recvOffsets: zeros(ranks),
  };
  const source = rank === root ? send : undefined;
  return newOperation("scatterv", { type }, { root, tables, send: source, recv });
}

function giving(
  send: ElementArray,
  recv: ElementArray,
  { rank, ranks }: GroupShape,
  { counts: given, offsets: at }: RootBlockOptions,
) {
  typeOfNeeded("scatterv", "send", send);
  checkSameType("scatterv", send, recv);
  const layout = blockLayout("scatterv", "counts", given, { offsets: at, ranks });
  checkFits("scatterv", "send", send, layout);
  if (recv.length !== layout.counts[rank]) {
    throw new RangeError(
      `Cannot scatterv: recv must have rank ${rank}'s count of ${layout.counts[rank]}, got ${elements(recv)}`,
    );
  }
  const own = { inner: recv, whole: send, part: layout.offsets[rank]! };
  checkOverlap("scatterv", own, `recv overlaps with send, but is not rank ${rank}'s part of it`);
  return layout;
}

/**
 * @throws {TypeError} If types differ or counts are missing.
 * @throws {RangeError} If counts do not fit the arrays, or these overlap.
 */
export function alltoallvOperation(
  send: ElementArray,
  recv: ElementArray,
  { ranks }: GroupShape,
  options: ExchangeOptions,
): Operation {
  checkOptions("alltoallv", options);
  const type = typeOfNeeded("alltoallv", "send", send);
  typeOfNeeded("alltoallv", "recv", recv);
  checkSameType("alltoallv", send, recv);
  const { sendCounts, sendOffsets, recvCounts, recvOffsets } = options;
  const out = blockLayout("alltoallv", "sendCounts", sendCounts, { offsets: sendOffsets, ranks });
  const into = blockLayout("alltoallv", "recvCounts", recvCounts, { offsets: recvOffsets, ranks });
  checkFits("alltoallv", "send", send, out);
  checkFits("alltoallv", "recv", recv, into);
  checkDisjoint("alltoallv", "recv", into);
  checkApart("alltoallv", send, recv);
  const tables: BlockTables = {
    sendCounts: out.counts,
    sendOffsets: out.offsets,
    recvCounts: into.counts,
    recvOffsets: into.offsets,
  };
  return newOperation("alltoallv", { type }, { tables, send, recv });
}
