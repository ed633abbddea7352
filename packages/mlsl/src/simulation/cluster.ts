/**
 * Ranks with their engines on a simulated network: what a transport and a clock do for an engine,
 * in virtual time. After whatever an engine is told, its frames are handed to the network while it
 * has any, and it has one kernel under way at a time.
 */

import { chunkBytesFor, windowBytesFor } from "../engine/chunkSize.js";
import { Engine, type Kernel } from "../engine/engine.js";
import type { Frame } from "../engine/frames.js";
import type { OrderMode } from "../engine/order.js";
import { OP_AFTER, OP_BEFORE } from "../engine/program.js";
import type { EngineRequest } from "../engine/request.js";
import { rankList } from "../errors/rankList.js";
import { BYTES_PER_MS, Network, type NetworkSpec } from "./network.js";
import { type ClockLimits, VirtualClock } from "./virtualClock.js";

/** How fast a rank works on its memory, in gigabytes of the result per second; Infinity: no time. */
export interface KernelSpeeds {
  readonly combineGBps: number;
  /** Of copies, and of chunks that are only put where they belong. */
  readonly copyGBps: number;
}

/** What is simulated. */
export interface ClusterSpec {
  readonly network: NetworkSpec;
  /** @default "priority" */
  readonly mode?: OrderMode;
  /** @default what suits the network */
  readonly chunkBytes?: number;
  /** @default what suits the network */
  readonly windowBytes?: number;
  readonly kernels: KernelSpeeds;
}

/** So many requests are named in the error of a run in which some wait for ever. */
const NAMED_REQUESTS = 4;

/** Simulated ranks. Engines are made when they are first asked for. */
export class Cluster {
  readonly clock: VirtualClock = new VirtualClock();
  readonly ranks: number;
  /** Bytes that requests of this cluster should be cut into, and the bound on bytes in flight. */
  readonly chunkBytes: number;
  readonly windowBytes: number;
  /** Is told of every request that is over; it may start others. */
  onSettled: (rank: number, request: EngineRequest) => void = () => {};
  readonly #mode: OrderMode | undefined;
  readonly #network: Network;
  readonly #engines: (Engine | undefined)[];
  readonly #combineMsPerByte: number;
  readonly #copyMsPerByte: number;
  /** By rank: whether a kernel runs, and whether its engine is being asked. */
  readonly #computing: Uint8Array;
  readonly #pumping: Uint8Array;
  /** By rank: the event that looks for what has taken too long, and when it is; −1: none. */
  readonly #ticks: Int32Array;
  readonly #ticksMs: Float64Array;
  readonly #kernelDone = (kernel: Kernel): void => this.#endKernel(kernel);
  readonly #landed = (frame: Frame): void => this.#land(frame);
  readonly #tick = (rank: number): void => this.#lookForTimeouts(rank);

  constructor(spec: ClusterSpec) {
    const { network, kernels } = spec;
    const link = {
      latencyMs: network.latencyMs + network.overheadMs,
      bandwidthGBps: network.bandwidthGBps,
    };
    this.ranks = network.ranks;
    this.chunkBytes = spec.chunkBytes ?? chunkBytesFor(link);
    this.windowBytes = spec.windowBytes ?? windowBytesFor(link, this.chunkBytes);
    this.#mode = spec.mode;
    this.#network = new Network(network, this.clock, (frame) => this.#arrive(frame));
    this.#engines = new Array<Engine | undefined>(this.ranks).fill(undefined);
    this.#combineMsPerByte = 1 / (kernels.combineGBps * BYTES_PER_MS);
    this.#copyMsPerByte = 1 / (kernels.copyGBps * BYTES_PER_MS);
    this.#computing = new Uint8Array(this.ranks);
    this.#pumping = new Uint8Array(this.ranks);
    this.#ticks = new Int32Array(this.ranks).fill(-1);
    this.#ticksMs = new Float64Array(this.ranks);
  }

  /** The engine of a rank, in which groups are opened and requests are posted. */
  engine(rank: number): Engine {
    const known = this.#engines[rank];
    if (known !== undefined) return known;
    if (!Number.isSafeInteger(rank) || rank < 0 || rank >= this.ranks) {
      throw new RangeError(`Cannot find rank ${rank}: there are ${this.ranks} ranks`);
    }
    const { chunkBytes, windowBytes } = this;
    const mode = this.#mode ?? "priority";
    const made = new Engine({ rank, mode, chunkBytes, windowBytes });
    this.#engines[rank] = made;
    return made;
  }

  /** Starts a request of a rank, now. */
  start(rank: number, request: EngineRequest): void {
    const { nowMs } = this.clock;
    this.engine(rank).start(request, nowMs);
    this.#armTick(rank, nowMs + request.spec.timeoutMs);
    this.#pump(rank);
  }

  /**
   * Lets time pass until nothing is left to happen.
   *
   * @throws {Error} if requests are then still under way, or a limit is exceeded
   */
  run(limits?: ClockLimits): void {
    this.clock.run(limits);
    const stuck = this.#engines.flatMap((engine) => [...(engine?.activeRequests ?? [])]);
    if (stuck.length === 0) return;
    const texts = stuck.slice(0, NAMED_REQUESTS).map(stuckText);
    throw new Error(
      `${stuck.length} requests wait for ever at ${this.clock.nowMs} ms: ${texts.join("; ")}` +
        (stuck.length > NAMED_REQUESTS ? " …" : ""),
    );
  }

  /** A frame is wholly in. Its sender learns of it a latency later. */
  #arrive(frame: Frame): void {
    const { from, to } = frame;
    this.engine(to).frameArrived(frame, this.clock.nowMs);
    this.#pump(to);
    if (frame.dataBytes === 0) return;
    this.clock.after(this.#network.latencyMs(to, from), this.#landed, frame);
  }

  #land(frame: Frame): void {
    const { nowMs } = this.clock;
    const engine = this.engine(frame.from);
    engine.frameLanded(frame);
    for (const part of frame.parts) if (part.kind === "data") engine.sent(part, nowMs);
    this.#pump(frame.from);
  }

  /** Takes from an engine whatever it has, until it has nothing. */
  #pump(rank: number): void {
    // Somebody who is told of a request starts another one: what goes on here will see to it.
    if (this.#pumping[rank] === 1) return;
    this.#pumping[rank] = 1;
    const engine = this.engine(rank);
    const { nowMs } = this.clock;
    do {
      for (let frame = engine.nextFrame(nowMs); frame; frame = engine.nextFrame(nowMs)) {
        this.#network.send(frame);
      }
    } while (this.#compute(rank, engine) || this.#settle(rank, engine));
    this.#pumping[rank] = 0;
    if (engine.activeCount === 0) this.#disarmTick(rank);
  }

  /** Begins a kernel. @returns whether it took no time and is done */
  #compute(rank: number, engine: Engine): boolean {
    if (this.#computing[rank] === 1) return false;
    const { nowMs } = this.clock;
    const kernel = engine.nextKernel(nowMs);
    if (kernel === undefined) return false;
    const ms = this.#kernelMs(kernel);
    if (ms === 0) {
      engine.kernelDone(kernel, nowMs, 0);
      return true;
    }
    this.#computing[rank] = 1;
    this.clock.at(nowMs + ms, this.#kernelDone, kernel);
    return false;
  }

  #kernelMs({ request, op }: Kernel): number {
    const { kinds, counts, elementBytes } = request.program;
    const combines = kinds[op] === OP_BEFORE || kinds[op] === OP_AFTER;
    return counts[op]! * elementBytes * (combines ? this.#combineMsPerByte : this.#copyMsPerByte);
  }

  #endKernel(kernel: Kernel): void {
    const { group } = kernel.request;
    const rank = group.members[group.rank]!;
    this.#computing[rank] = 0;
    this.engine(rank).kernelDone(kernel, this.clock.nowMs, this.#kernelMs(kernel));
    this.#pump(rank);
  }

  /** Tells of what is over. @returns whether there was anything */
  #settle(rank: number, engine: Engine): boolean {
    const settled = engine.takeSettled();
    for (const request of settled) this.onSettled(rank, request);
    return settled.length > 0;
  }

  /** Makes a rank look for what has taken too long at a time, if it does not do so before. */
  #armTick(rank: number, atMs: number): void {
    if (atMs === Number.POSITIVE_INFINITY) return;
    if (this.#ticks[rank] !== -1 && this.#ticksMs[rank]! <= atMs) return;
    this.#disarmTick(rank);
    this.#ticksMs[rank] = atMs;
    this.#ticks[rank] = this.clock.at(atMs, this.#tick, rank);
  }

  #disarmTick(rank: number): void {
    if (this.#ticks[rank] !== -1) this.clock.cancel(this.#ticks[rank]!);
    this.#ticks[rank] = -1;
  }

  #lookForTimeouts(rank: number): void {
    this.#ticks[rank] = -1;
    const engine = this.engine(rank);
    engine.tick(this.clock.nowMs);
    this.#armTick(rank, Math.max(this.clock.nowMs, engine.nextDeadlineMs));
    this.#pump(rank);
  }
}

/** What a request waits for, in words. */
function stuckText(request: EngineRequest): string {
  const { group, match } = request;
  const missing = request.missing().map((rank) => group.members[rank]!);
  return (
    `rank ${group.members[group.rank]}, request ${match} of group ${group.id}, ` +
    (missing.length > 0 ? `for ${rankList(missing)}` : "for its own turn")
  );
}
