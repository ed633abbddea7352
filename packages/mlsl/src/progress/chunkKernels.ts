/** Carries out what an engine asks to be done with memory. */

import type { DataPart } from "../engine/frames.js";
import type { Kernel } from "../engine/kernelQueue.js";
import { OP_AFTER, OP_BEFORE, OP_COPY, OP_REDUCE } from "../engine/program.js";
import { OP_CODES } from "../kernels/kernels.js";
import type { KernelRunner } from "./kernelRunner.js";
import type { Running } from "./running.js";
import { ArrivedPart } from "./wire.js";

/** Address of an operation's region. */
export function addressOf({ bases, request }: Running, op: number): number {
  const { buffers, offsets, elementBytes } = request.program;
  return bases[buffers[op] as 0 | 1 | 2] + offsets[op]! * elementBytes;
}

/** Chunks that arrive in shared memory are of this form, see wire.ts. */
function arrived(part: DataPart | undefined): ArrivedPart {
  if (part instanceof ArrivedPart) return part;
  throw new TypeError("Cannot read a chunk that did not arrive in shared memory");
}

/** Where a copy comes from, or this rank's contribution to a reduction. */
function ownSource({ bases, request }: Running, op: number): number {
  const { fromBuffers, fromOffsets, elementBytes } = request.program;
  return bases[fromBuffers[op] as 0 | 1 | 2] + fromOffsets[op]! * elementBytes;
}

/** Runs one kernel after the other; what it needs for one serves the next. */
export class ChunkKernels {
  readonly #runner: KernelRunner;
  readonly #target = { address: 0, byteLength: 0 };
  readonly #sources: number[] = [];
  readonly #read: ArrivedPart[] = [];

  constructor(runner: KernelRunner) {
    this.#runner = runner;
  }

  /** Runs a kernel. @returns the peers' chunks that have been read by it, until the next is run */
  run(running: Running, { op, part }: Kernel): readonly ArrivedPart[] {
    const { program } = running.request;
    const target = this.#target;
    target.address = addressOf(running, op);
    target.byteLength = program.counts[op]! * program.elementBytes;
    this.#read.length = 0;
    this.#sources.length = 0;
    const kind = program.kinds[op];
    if (kind === OP_COPY) {
      this.#runner.copy(target.address, ownSource(running, op), target.byteLength);
    } else if (kind === OP_REDUCE) this.#reduceHeld(running, op);
    else this.#take(running, kind, arrived(part));
    return this.#read;
  }

  /** Copies or combines a chunk of a peer. */
  #take({ known }: Running, kind: number | undefined, part: ArrivedPart): void {
    const { address, byteLength } = this.#target;
    this.#read.push(part);
    if (kind === OP_BEFORE) this.#sources.push(part.address, address);
    else if (kind === OP_AFTER) this.#sources.push(address, part.address);
    else {
      this.#runner.copy(address, part.address, byteLength);
      return;
    }
    this.#runner.combine(known.plan, this.#sources, this.#target);
  }

  #reduceHeld(running: Running, op: number): void {
    const { request, known } = running;
    const { program } = request;
    for (let rank = 0; rank < known.plan.ranks; rank++) this.#sources.push(0);
    this.#sources[known.plan.rank] = ownSource(running, op);
    for (const hold of program.held.get(op)!) {
      const part = arrived(request.takeKept(hold));
      this.#sources[program.peers[hold]!] = part.address;
      this.#read.push(part);
    }
    this.#runner.reduce(known.plan, this.#sources, this.#target);
  }

  /** Divides the result of an average that messages have summed up. */
  finishAverage({ known, bases }: Running): void {
    const { kind, rank, root, count, elementBytes, algorithm, reduction } = known.plan;
    if (algorithm === "direct" || reduction?.code !== OP_CODES.average || count === 0) return;
    if (kind === "reduce" && rank !== root) return;
    this.#runner.divide(known.plan, { address: bases[1], byteLength: count * elementBytes });
  }
}
