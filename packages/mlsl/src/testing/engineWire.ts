/** Engines joined by a wire that a test holds in its hands. */

import { compile } from "../engine/compile.js";
import { Engine, type EngineOptions } from "../engine/engine.js";
import type { DataPart, Frame } from "../engine/frames.js";
import type { EngineGroup } from "../engine/group.js";
import type { Kernel } from "../engine/kernelQueue.js";
import type { EngineRequest, RequestSpec } from "../engine/request.js";
import { buildSchedule } from "../schedules/transport/registry.js";

/** What a test usually says of a request: an all-reduce of so many float32. */
export interface AllreduceSpec extends Partial<RequestSpec> {
  readonly count: number;
}

/** Engines, their world group, and a clock that only tests move. */
export class EngineWire {
  readonly engines: readonly Engine[];
  readonly worlds: readonly EngineGroup[];
  readonly settled: { rank: number; request: EngineRequest }[] = [];
  /** All frames that were taken from engines, in order. */
  readonly frames: Frame[] = [];
  readonly #chunkBytes: number;
  nowMs = 0;

  constructor(ranks: number, options: Partial<EngineOptions> = {}) {
    const members = Array.from({ length: ranks }, (_, rank) => rank);
    this.#chunkBytes = options.chunkBytes ?? 64;
    const all = { windowBytes: 1e9, ...options, chunkBytes: this.#chunkBytes };
    this.engines = members.map((rank) => new Engine({ ...all, rank }));
    this.worlds = this.engines.map((engine) => engine.openGroup(0, members));
  }

  /** Posts an all-reduce by a ring and starts it. */
  allreduce(rank: number, spec: AllreduceSpec): EngineRequest {
    const request = this.post(rank, spec);
    this.engines[rank]!.start(request, this.nowMs);
    return request;
  }

  /** Posts an all-reduce by a ring. */
  post(rank: number, { count, ...spec }: AllreduceSpec): EngineRequest {
    const schedule = buildSchedule("allreduce", "ring", {
      rank,
      ranks: this.engines.length,
      count,
    });
    const cut = { elementBytes: 4, chunkBytes: this.#chunkBytes, sendInRecv: 0 };
    return this.engines[rank]!.post(this.worlds[rank]!, {
      fingerprint: `allreduce of ${count}`,
      timeoutMs: 1000,
      program: compile(schedule, cut),
      ...spec,
    });
  }

  /** The next frame of a rank, not delivered. */
  next(rank: number): Frame | undefined {
    const frame = this.engines[rank]!.nextFrame(this.nowMs);
    if (frame !== undefined) this.frames.push(frame);
    return frame;
  }

  /** Brings a frame to its peer. */
  deliver(frame: Frame): void {
    this.engines[frame.to]!.frameArrived(frame, this.nowMs);
    const sender = this.engines[frame.from]!;
    sender.frameLanded(frame);
    for (const part of frame.parts) if (part.kind === "data") sender.sent(part, this.nowMs);
  }

  /** Runs the kernels of a rank. */
  runKernels(rank: number): Kernel[] {
    const engine = this.engines[rank]!;
    const run: Kernel[] = [];
    for (let kernel = engine.nextKernel(0); kernel; kernel = engine.nextKernel(this.nowMs)) {
      engine.kernelDone(kernel, this.nowMs, 0);
      run.push(kernel);
    }
    return run;
  }

  /** Moves everything on until nothing moves any more. */
  run(ranks: readonly number[] = this.engines.map(({ rank }) => rank)): void {
    for (let moved = true; moved; ) {
      moved = false;
      for (const rank of ranks) {
        for (let frame = this.next(rank); frame; frame = this.next(rank)) {
          moved = true;
          this.deliver(frame);
        }
        if (this.runKernels(rank).length > 0) moved = true;
      }
    }
    for (const { rank } of this.engines) {
      const over = this.engines[rank]!.takeSettled();
      for (const request of over) this.settled.push({ rank, request });
    }
  }

  /** Requests that are over, as "rank match state". */
  get log(): string[] {
    return this.settled.map(({ rank, request }) => `${rank} ${request.match} ${request.state}`);
  }
}

/** The chunks in a frame. */
export function dataOf(frame: Frame): DataPart[] {
  return frame.parts.filter((part) => part.kind === "data");
}
