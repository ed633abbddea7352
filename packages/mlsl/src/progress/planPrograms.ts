/** The programs that carry out a plan, and the scratch that they need. */

import { compile, type SharedSchedule } from "../engine/compile.js";
import type { Program } from "../engine/program.js";
import { buildSchedule } from "../schedules/transport/registry.js";
import type { ShapeOf, TransportKind } from "../schedules/transport/shapes.js";
import { directSchedule } from "./directSchedule.js";
import type { Plan, PlanTables } from "./plan.js";

/** Tables of a rank, each of a number per rank. */
const TABLES = 4;
/** Bytes of a number in a table. */
const NUMBER_BYTES = 8;

function scheduleOf(plan: Plan): SharedSchedule {
  if (plan.meetsOnly === true) return { scratchCount: 0, steps: [] };
  if (plan.algorithm === "direct") return directSchedule(plan);
  const { kind, rank, ranks, root, count } = plan;
  // Collectives without a root or a count take no notice of them; those by tables are direct.
  const shape = { rank, ranks, root, count } as ShapeOf[TransportKind];
  return buildSchedule(kind, plan.algorithm, shape);
}

/** Bytes of scratch that a start of the plan needs. */
export function scratchBytesOf(plan: Plan): number {
  if (plan.tables !== undefined) return TABLES * plan.ranks * plan.ranks * NUMBER_BYTES;
  return scheduleOf(plan).scratchCount * plan.elementBytes;
}

/** The program of the operation itself. @param chunkBytes the same on all ranks */
export function programOf(plan: Plan, chunkBytes: number): Program {
  const { elementBytes, sendInRecv } = plan;
  const cut = { elementBytes, chunkBytes };
  return compile(scheduleOf(plan), sendInRecv === undefined ? cut : { ...cut, sendInRecv });
}

/**
 * The program by which ranks learn each other's tables before anything else moves: each has those of
 * all in its scratch, in the order of the ranks.
 */
export function tablesProgramOf({ rank, ranks }: Plan, chunkBytes: number): Program {
  const count = TABLES * ranks;
  const block = (r: number) => ({ buffer: "scratch", offset: r * count, count }) as const;
  const others = Array.from({ length: ranks - 1 }, (_, k) => (rank + k + 1) % ranks);
  const steps = [
    ...others.map((to) => ({ kind: "send", to, region: block(rank) }) as const),
    ...others.map((from) => ({ kind: "receive", from, region: block(from) }) as const),
  ];
  const cut = { elementBytes: NUMBER_BYTES, chunkBytes };
  return compile({ scratchCount: count * ranks, steps }, cut);
}

/** Writes a rank's tables to where {@link tablesProgramOf} has them. */
export function writeTables(buffer: SharedArrayBuffer, scratch: number, plan: Plan): void {
  const { rank, ranks, tables } = plan;
  const numbers = new Float64Array(
    buffer,
    scratch + rank * TABLES * ranks * NUMBER_BYTES,
    4 * ranks,
  );
  const { sendCounts, sendOffsets, recvCounts, recvOffsets } = tables!;
  [sendCounts, sendOffsets, recvCounts, recvOffsets].forEach((table, i) => {
    numbers.set(table, i * ranks);
  });
}

/** The tables of all ranks. */
export function readTables(
  buffer: SharedArrayBuffer,
  scratch: number,
  ranks: number,
): PlanTables[] {
  const numbers = new Float64Array(buffer, scratch, TABLES * ranks * ranks);
  return Array.from({ length: ranks }, (_, rank) => {
    const table = (i: number) => {
      const first = (rank * TABLES + i) * ranks;
      return Array.from(numbers.subarray(first, first + ranks));
    };
    const [sendCounts, sendOffsets] = [table(0), table(1)];
    return { sendCounts, sendOffsets, recvCounts: table(2), recvOffsets: table(3) };
  });
}
