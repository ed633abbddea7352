/** Random collectives that move data. */

import type { DataType } from "../../memory/dataTypes.js";
import type { Random } from "../../simulation/random.js";
import type { Plan, Value, Values } from "./plan.js";
import { anyCount, anyTables, anyType, composed, repeated } from "./values.js";

/** A barrier. */
export function planBarrier(ranks: number): Plan {
  return { parts: Array.from({ length: ranks }, () => ({ kind: "barrier", options: {} })) };
}

/** A broadcast. */
export function planBroadcast(ranks: number, random: Random): Plan {
  const type = anyType(random);
  const count = anyCount(type, random);
  const tables = anyTables(type, ranks, random);
  const root = random.below(ranks);
  const recv = repeated(type, count, tables[root]!);
  const parts = tables.map((table) => {
    const send = repeated(type, count, table);
    return { kind: "broadcast" as const, send, recv, inPlace: true, options: { root } };
  });
  return { parts };
}

/** Blocks of each rank, somewhere in a larger buffer. */
interface Layout {
  readonly counts: number[];
  readonly offsets: number[];
  readonly total: number;
}

/** Blocks one after the other in any order, with gaps or without. */
function anyLayout(counts: number[], random: Random): Layout {
  const offsets = counts.map(() => 0);
  const order = counts.map((_, rank) => rank).sort(() => random.next() - 0.5);
  let next = 0;
  for (const rank of order) {
    next += random.below(3);
    offsets[rank] = next;
    next += counts[rank]!;
  }
  return { counts, offsets, total: next + random.below(3) };
}

function layoutOf(counts: number[]): Layout {
  let next = 0;
  const offsets = counts.map((count) => {
    next += count;
    return next - count;
  });
  return { counts, offsets, total: next };
}

interface Blocks {
  readonly type: DataType;
  readonly varies: boolean;
  readonly layout: Layout;
  readonly tables: Value[][];
}

function anyBlocks(ranks: number, random: Random): Blocks {
  const type = anyType(random);
  const block = Math.ceil(anyCount(type, random) / ranks);
  const varies = random.below(2) === 0;
  const counts = Array.from({ length: ranks }, () =>
    varies ? random.below(2 * block + 1) : block,
  );
  const layout = varies ? anyLayout(counts, random) : layoutOf(counts);
  return { type, varies, layout, tables: anyTables(type, ranks, random) };
}

function gathered({ type, layout, tables }: Blocks): Values {
  const blocks = tables.map((table, rank) => ({
    offset: layout.offsets[rank]!,
    values: repeated(type, layout.counts[rank]!, table),
  }));
  return composed(type, layout.total, blocks);
}

/** An all-gather, or a gather to one rank; with equal counts or not. */
export function planGather(ranks: number, random: Random): Plan {
  const all = anyBlocks(ranks, random);
  const { type, varies, layout, tables } = all;
  const { counts, offsets } = layout;
  const root = random.below(2) === 0 ? undefined : random.below(ranks);
  const recv = gathered(all);
  const parts = tables.map((table, rank) => {
    const send = repeated(type, counts[rank]!, table);
    const known = varies ? { counts, offsets } : {};
    if (root === undefined) {
      const kind = varies ? ("allgatherv" as const) : ("allgather" as const);
      return { kind, send, recv, options: known };
    }
    const kind = varies ? ("gatherv" as const) : ("gather" as const);
    if (rank !== root) return { kind, send, options: { root } };
    return { kind, send, recv, options: { ...known, root } };
  });
  return { parts };
}

/** A scatter, with equal counts or not. */
export function planScatter(ranks: number, random: Random): Plan {
  const { type, varies, layout, tables } = anyBlocks(ranks, random);
  const { counts, offsets, total } = layout;
  const root = random.below(ranks);
  const send = repeated(type, total, tables[root]!);
  const parts = tables.map((_, rank) => {
    const recv = repeated(type, counts[rank]!, tables[root]!, offsets[rank]);
    const known = rank === root && varies ? { counts, offsets } : {};
    const kind = varies ? ("scatterv" as const) : ("scatter" as const);
    return { kind, send: rank === root ? send : undefined, recv, options: { ...known, root } };
  });
  return { parts };
}

/** An exchange of all with all, with equal counts or not. */
export function planAlltoall(ranks: number, random: Random): Plan {
  const type = anyType(random);
  const tables = anyTables(type, ranks, random);
  const block = Math.ceil(anyCount(type, random) / ranks);
  const varies = random.below(2) === 0;
  const matrix = tables.map(() => tables.map(() => (varies ? random.below(2 * block + 1) : block)));
  const place = (counts: number[]) => (varies ? anyLayout(counts, random) : layoutOf(counts));
  const outs = matrix.map((row) => place(row));
  const ins = matrix.map((_, rank) => place(matrix.map((row) => row[rank]!)));
  const parts = tables.map((table, rank) => {
    const [out, into] = [outs[rank]!, ins[rank]!];
    const blocks = tables.map((theirs, from) => ({
      offset: into.offsets[from]!,
      values: repeated(type, into.counts[from]!, theirs, outs[from]!.offsets[rank]),
    }));
    const options = {
      sendCounts: out.counts,
      sendOffsets: out.offsets,
      recvCounts: into.counts,
      recvOffsets: into.offsets,
    };
    return {
      kind: varies ? ("alltoallv" as const) : ("alltoall" as const),
      send: repeated(type, out.total, table),
      recv: composed(type, into.total, blocks),
      inPlace: !varies && random.below(3) === 0,
      options: varies ? options : {},
    };
  });
  return { parts };
}
