/** Carries out the copies and combinations of simulated requests on their memory. */

import type { DataPart } from "../../engine/frames.js";
import type { Kernel } from "../../engine/kernelQueue.js";
import { OP_AFTER, OP_BEFORE, OP_COPY } from "../../engine/program.js";
import type { EngineRequest } from "../../engine/request.js";
import type { Payload } from "../payload.js";
import type { ProgramOperator } from "./operators.js";
import type { RequestMemory } from "./requestMemory.js";

/** What a request works on. */
export interface RequestBytes {
  readonly memory: RequestMemory;
  readonly operator: ProgramOperator;
}

/** Memory of all requests of a cluster. */
export class MemoryPayload implements Payload {
  readonly #bytes = new Map<EngineRequest, RequestBytes>();
  /** Chunks that have been read and not been used. */
  readonly #read = new Map<DataPart, Float64Array>();

  /** Chunks that are kept: none when all requests are done. */
  get keptCount(): number {
    return this.#read.size;
  }

  /** Gives a request its memory. */
  add(request: EngineRequest, bytes: RequestBytes): void {
    this.#bytes.set(request, bytes);
  }

  read(part: DataPart): void {
    if (this.#read.has(part)) throw new Error(`Chunk ${part.ordinal} is sent before it is used`);
    const { memory } = this.#bytes.get(part.request)!;
    const { buffers, offsets, counts } = part.request.program;
    const begin = memory.bases[buffers[part.op]! as 0 | 1 | 2] + offsets[part.op]!;
    this.#read.set(part, memory.cells.slice(begin, begin + counts[part.op]!));
  }

  compute({ request, op, part }: Kernel): void {
    const { memory, operator } = this.#bytes.get(request)!;
    const { kinds, buffers, offsets, counts, fromBuffers, fromOffsets } = request.program;
    const { cells, bases } = memory;
    const begin = bases[buffers[op]! as 0 | 1 | 2] + offsets[op]!;
    const count = counts[op]!;
    if (kinds[op] === OP_COPY) {
      const from = bases[fromBuffers[op]! as 0 | 1 | 2] + fromOffsets[op]!;
      cells.set(cells.subarray(from, from + count), begin);
      return;
    }
    const received = this.#take(part!);
    for (let i = 0; i < count; i++) {
      const [own, value] = [cells[begin + i]!, received[i]!];
      if (kinds[op] === OP_BEFORE) cells[begin + i] = operator.combine(value, own);
      else if (kinds[op] === OP_AFTER) cells[begin + i] = operator.combine(own, value);
      else cells[begin + i] = value;
    }
  }

  #take(part: DataPart): Float64Array {
    const received = this.#read.get(part);
    if (received === undefined) throw new Error(`Chunk ${part.ordinal} is used before it is here`);
    this.#read.delete(part);
    return received;
  }
}
