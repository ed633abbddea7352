/**
 * Schedules for workers whose ranks share memory. Nothing is sent but the word that something lies
 * there: whoever needs it reads it in its owner's memory, and tells when it has. Reductions take all
 * contributions in one pass in the order that the inline way has, so the bits are the same.
 */

import type { SharedSchedule, SharedStep } from "../engine/compile.js";
import {
  type Blocks,
  blockRegion,
  evenBlocks,
  listedBlocks,
} from "../schedules/transport/blocks.js";
import { region } from "../schedules/transport/scheduleBuilder.js";
import type { Region } from "../schedules/transport/steps.js";
import type { Plan, PlanTables } from "./plan.js";

/**
 * Up to so many bytes every rank combines all of a vector itself: reading it all takes less than
 * hearing of the parts that others have combined.
 */
const SMALL_BYTES = 16384;

/** Collects steps; those without elements are left out, on both sides alike. */
class Steps {
  readonly list: SharedStep[] = [];
  readonly #rank: number;
  readonly #ranks: number;

  constructor({ rank, ranks }: Plan) {
    this.#rank = rank;
    this.#ranks = ranks;
  }

  /** The other ranks, from the right neighbour on: so they do not all begin with the same. */
  to(): number[] {
    return Array.from({ length: this.#ranks - 1 }, (_, k) => (this.#rank + k + 1) % this.#ranks);
  }

  /** The others, from the left neighbour on. */
  from(): number[] {
    return this.to().reverse();
  }

  send(to: number, what: Region): void {
    if (what.count > 0) this.list.push({ kind: "send", to, region: what });
  }

  receive(from: number, what: Region): void {
    if (what.count > 0) this.list.push({ kind: "receive", from, region: what });
  }

  copy(from: Region, to: Region): void {
    if (to.count > 0) this.list.push({ kind: "copy", from, to });
  }

  /** Combines what all ranks have for this one. */
  reduce(own: Region, to: Region): void {
    if (to.count === 0) return;
    for (const from of this.from()) this.list.push({ kind: "hold", from, count: to.count });
    this.list.push({ kind: "reduce", own, to });
  }
}

function broadcast(plan: Plan, steps: Steps): void {
  const vector = region("recv", 0, plan.count);
  if (plan.rank !== plan.root) steps.receive(plan.root, vector);
  else for (const to of steps.to()) steps.send(to, vector);
}

function reduce(plan: Plan, steps: Steps): void {
  const own = region("send", 0, plan.count);
  if (plan.rank === plan.root) steps.reduce(own, region("recv", 0, plan.count));
  else steps.send(plan.root, own);
}

function reduceScatter({ rank }: Plan, steps: Steps, blocks: Blocks): void {
  for (const to of steps.to()) steps.send(to, blockRegion("send", blocks, to));
  steps.reduce(blockRegion("send", blocks, rank), region("recv", 0, blocks.count(rank)));
}

/** In place a vector would be overwritten while others read it, so they read a copy. */
function smallAllreduce({ count }: Plan, steps: Steps): number {
  const copy = region("scratch", 0, count);
  steps.copy(region("send", 0, count), copy);
  for (const to of steps.to()) steps.send(to, copy);
  steps.reduce(copy, region("recv", 0, count));
  return count;
}

/** Every rank combines a block, and the others copy it. */
function largeAllreduce({ rank, ranks, count }: Plan, steps: Steps): void {
  const blocks = evenBlocks(count, ranks);
  for (const to of steps.to()) steps.send(to, blockRegion("send", blocks, to));
  const own = blockRegion("recv", blocks, rank);
  steps.reduce(blockRegion("send", blocks, rank), own);
  for (const to of steps.to()) steps.send(to, own);
  for (const from of steps.from()) steps.receive(from, blockRegion("recv", blocks, from));
}

/** Everything goes from where it is to where it belongs. */
function exchange({ rank }: Plan, steps: Steps, tables: PlanTables): void {
  const send = listedBlocks(tables.sendCounts, tables.sendOffsets);
  const recv = listedBlocks(tables.recvCounts, tables.recvOffsets);
  for (const to of steps.to()) steps.send(to, blockRegion("send", send, to));
  steps.copy(blockRegion("send", send, rank), blockRegion("recv", recv, rank));
  for (const from of steps.from()) steps.receive(from, blockRegion("recv", recv, from));
}

/** The tables of an exchange whose blocks all have one count. */
function uniformTables({ kind, rank, ranks, root, count }: Plan): PlanTables {
  const list = (value: (r: number) => number) => Array.from({ length: ranks }, (_, r) => value(r));
  const atRoot = rank === root;
  const toAll = kind === "allgather" || kind === "alltoall";
  const gives = (to: number) => toAll || (kind === "gather" ? to === root : atRoot);
  const gets = (from: number) => toAll || (kind === "gather" ? atRoot : from === root);
  const perRank = kind === "alltoall" || kind === "scatter";
  return {
    sendCounts: list((to) => (gives(to) ? count : 0)),
    sendOffsets: list((to) => (perRank ? to * count : 0)),
    recvCounts: list((from) => (gets(from) ? count : 0)),
    recvOffsets: list((from) => (kind === "scatter" ? 0 : from * count)),
  };
}

/** Whether every rank combines all of a vector itself. */
function isSmall({ count, elementBytes }: Plan): boolean {
  return count * elementBytes <= SMALL_BYTES;
}

/** The schedule of an operation that names no other; tables of all ranks were compared before. */
export function directSchedule(plan: Plan): SharedSchedule {
  const steps = new Steps(plan);
  const { kind, tables, ranks, count } = plan;
  let scratchCount = 0;
  if (kind === "broadcast") broadcast(plan, steps);
  else if (kind === "reduce") reduce(plan, steps);
  else if (kind === "allreduce" && isSmall(plan)) scratchCount = smallAllreduce(plan, steps);
  else if (kind === "allreduce") largeAllreduce(plan, steps);
  else if (kind === "reduceScatter" || kind === "reduceScatterv") {
    const counts = tables?.sendCounts ?? new Array<number>(ranks).fill(count);
    const offsets = tables?.sendOffsets ?? counts.map((_, r) => r * count);
    reduceScatter(plan, steps, listedBlocks(counts, offsets));
  } else if (kind !== "barrier") exchange(plan, steps, tables ?? uniformTables(plan));
  return { scratchCount, steps: steps.list };
}
