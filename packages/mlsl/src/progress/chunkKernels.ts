/** Carries out what an engine asks to be done with memory. */

import type { Kernel } from "../engine/engine.js";
import type { DataPart } from "../engine/frames.js";
import { OP_AFTER, OP_BEFORE, OP_COPY, OP_REDUCE } from "../engine/program.js";
import { OP_CODES } from "../kernels/kernels.js";
import type { KernelRunner } from "./kernelRunner.js";
import type { Running } from "./running.js";
import type { ArrivedPart } from "./wire.js";

/** Address of an operation's region. */
export function addressOf({ bases, request }: Running, op: number): number {
  const { buffers, offsets, elementBytes } = request.program;
  return bases[buffers[op] as 0 | 1 | 2] + offsets[op]! * elementBytes;
}

/** Chunks that arrive in shared memory are of this form, see wire.ts. */
function arrived(part: DataPart): ArrivedPart {
  return part as ArrivedPart;
}

/** Runs a kernel. @returns the peers' chunks that have been read by it */
export function runKernel(runner: KernelRunner, running: Running, kernel: Kernel): ArrivedPart[] {
  const { op, part } = kernel;
  const { program } = running.request;
  const { plan } = running.known;
  const target = {
    address: addressOf(running, op),
    byteLength: program.counts[op]! * program.elementBytes,
  };
  const kind = program.kinds[op];
  if (kind === OP_COPY) {
    runner.copy(target.address, ownSource(running, op), target.byteLength);
    return [];
  }
  if (kind === OP_REDUCE) return reduceHeld(runner, running, op, target);
  const from = arrived(part!);
  if (kind === OP_BEFORE) runner.combine(plan, [from.address, target.address], target);
  else if (kind === OP_AFTER) runner.combine(plan, [target.address, from.address], target);
  else runner.copy(target.address, from.address, target.byteLength);
  return [from];
}

/** Where a copy comes from, or this rank's contribution to a reduction. */
function ownSource({ bases, request }: Running, op: number): number {
  const { fromBuffers, fromOffsets, elementBytes } = request.program;
  return bases[fromBuffers[op] as 0 | 1 | 2] + fromOffsets[op]! * elementBytes;
}

function reduceHeld(
  runner: KernelRunner,
  running: Running,
  op: number,
  target: { address: number; byteLength: number },
): ArrivedPart[] {
  const { request, known } = running;
  const { program } = request;
  const sources = new Array<number>(known.plan.ranks).fill(0);
  sources[known.plan.rank] = ownSource(running, op);
  const parts: ArrivedPart[] = [];
  for (const hold of program.held.get(op)!) {
    const part = arrived(request.takeKept(hold)!);
    sources[program.peers[hold]!] = part.address;
    parts.push(part);
  }
  runner.reduce(known.plan, sources, target);
  return parts;
}

/** Divides the result of an average that messages have summed up. */
export function finishAverage(runner: KernelRunner, { known, bases }: Running): void {
  const { kind, rank, root, count, elementBytes, algorithm, reduction } = known.plan;
  if (algorithm === "direct" || reduction?.code !== OP_CODES.average || count === 0) return;
  if (kind === "reduce" && rank !== root) return;
  runner.divide(known.plan, { address: bases[1], byteLength: count * elementBytes });
}
