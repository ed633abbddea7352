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

/** A buffer that is divided into blocks, and one that holds this rank's. */
interface Divided {
  readonly whole: "send" | "recv";
  readonly block: "send" | "recv";
}

/** The blocks of the divided buffer, checked against both. */
function dividedLayout(
  kind: "allgatherv" | "gatherv" | "scatterv",
  buffers: { send: ElementArray; recv: ElementArray },
  { rank, ranks }: GroupShape,
  { counts, offsets }: RootBlockOptions,
) {
  const names: Divided =
    kind === "scatterv" ? { whole: "send", block: "recv" } : { whole: "recv", block: "send" };
  const [whole, block] = [buffers[names.whole], buffers[names.block]];
  typeOfNeeded(kind, names.whole, whole);
  checkSameType(kind, buffers.send, buffers.recv);
  const layout = blockLayout(kind, "counts", counts, { offsets, ranks });
  checkFits(kind, names.whole, whole, layout);
  if (names.whole === "recv") checkDisjoint(kind, "recv", layout);
  const ownCount = layout.counts[rank]!;
  if (block.length !== ownCount) {
    throw new RangeError(
      `Cannot ${kind}: ${names.block} must have rank ${rank}'s count of ${ownCount}, got ${elements(block)}`,
    );
  }
  const own = { inner: block, whole, part: layout.offsets[rank]! };
  const rule = `${names.block} overlaps with ${names.whole}, but is not rank ${rank}'s part of it`;
  checkOverlap(kind, own, rule);
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
  const { counts, offsets } = dividedLayout("allgatherv", { send, recv }, shape, options);
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
      ? dividedLayout("gatherv", { send, recv: recv! }, shape, options)
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
      ? dividedLayout("scatterv", { send: send!, recv }, shape, options)
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
