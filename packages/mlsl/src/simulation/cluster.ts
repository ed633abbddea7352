/**
 * Ranks with their engines on a simulated network: what a transport and a clock do for an engine,
 * in virtual time. An engine is asked for a frame when its port is free to take one, and for a kernel
 * when it has none under way.
 */

import { chunkBytesFor, windowBytesFor } from "../engine/chunkSize.js";
import { Engine } from "../engine/engine.js";
import type { DataPart, Frame } from "../engine/frames.js";
import type { EngineGroup } from "../engine/group.js";
import type { Kernel } from "../engine/kernelQueue.js";
import type { OrderMode } from "../engine/order.js";
import { OP_AFTER, OP_BEFORE } from "../engine/program.js";
import type { EngineRequest } from "../engine/request.js";
import { rankList } from "../errors/rankList.js";
import { type FaultSpec, Faults } from "./faults.js";
import { BYTES_PER_MS, Network, type NetworkSpec } from "./network.js";
import type { Payload } from "./payload.js";
import { PayloadTimes } from "./payload.js";
import type { Probe } from "./probe.js";
import { Random } from "./random.js";
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
  /** What goes wrong. @default nothing */
  readonly faults?: FaultSpec;
  /** Decides about faults, and when bytes are read and written. @default 1 */
  readonly seed?: number;
  /** The memory of the requests. @default none: only time passes */
  readonly payload?: Payload;
  /** Sees all that happens. @default nobody */
  readonly probe?: Probe;
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
  readonly #faults: Faults | undefined;
  readonly #payload: PayloadTimes | undefined;
  readonly #probe: Probe | undefined;
  /** Ranks that stand still, and will be asked when they go on. */
  readonly #waking = new Set<number>();
  readonly #engines: (Engine | undefined)[];
  readonly #combineMsPerByte: number;
  readonly #copyMsPerByte: number;
  /** By rank: whether a kernel runs and how long, and whether its engine is being asked. */
  readonly #computing: Uint8Array;
  readonly #computingMs: Float64Array;
  readonly #pumping: Uint8Array;
  /** By rank: the event that looks for what has taken too long, and when it is; −1: none. */
  readonly #ticks: Int32Array;
  readonly #ticksMs: Float64Array;
  readonly #kernelDone = (kernel: Kernel): void => this.#endKernel(kernel);
  readonly #landed = (frame: Frame): void => this.#land(frame);
  /** By rank: when it will be asked for frames again because its port is free; Infinity: never. */
  readonly #sendsAtMs: Float64Array;
  readonly #portFree = (rank: number): void => {
    this.#sendsAtMs[rank] = Number.POSITIVE_INFINITY;
    this.#pump(rank);
  };
  readonly #tick = (rank: number): void => this.#lookForTimeouts(rank);

  constructor(spec: ClusterSpec) {
    const { network, kernels } = spec;
    const link = {
      latencyMs: network.latencyMs + network.overheadMs,
      overheadMs: network.overheadMs,
      bandwidthGBps: network.bandwidthGBps,
    };
    this.ranks = network.ranks;
    this.chunkBytes = spec.chunkBytes ?? chunkBytesFor(link);
    this.windowBytes = spec.windowBytes ?? windowBytesFor(link, this.chunkBytes);
    this.#mode = spec.mode;
    this.#network = new Network(network, this.clock, (frame) => {
      if (this.#faults === undefined) this.#arrive(frame);
      else this.#faults.arrive(frame);
    });
    this.#probe = spec.probe;
    const random = new Random(spec.seed ?? 1);
    const { clock } = this;
    if (spec.payload !== undefined) {
      this.#payload = new PayloadTimes(spec.payload, clock, random, network.latencyMs);
    }
    if (spec.faults !== undefined) {
      const deliver = (frame: Frame): void => this.#arrive(frame);
      this.#faults = new Faults(spec.faults, { random, clock, network: this.#network, deliver });
    }
    this.#engines = new Array<Engine | undefined>(this.ranks).fill(undefined);
    this.#combineMsPerByte = 1 / (kernels.combineGBps * BYTES_PER_MS);
    this.#copyMsPerByte = 1 / (kernels.copyGBps * BYTES_PER_MS);
    this.#computing = new Uint8Array(this.ranks);
    this.#computingMs = new Float64Array(this.ranks);
    this.#pumping = new Uint8Array(this.ranks);
    this.#ticks = new Int32Array(this.ranks).fill(-1);
    this.#ticksMs = new Float64Array(this.ranks);
    this.#sendsAtMs = new Float64Array(this.ranks).fill(Number.POSITIVE_INFINITY);
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

  /** Opens a group on a rank, now, and tells others what there is to tell if it has failed. */
  openGroup(rank: number, id: number, members: readonly number[]): EngineGroup {
    const group = this.engine(rank).openGroup(id, members);
    this.#pump(rank);
    return group;
  }

  /** Whether a rank has been killed. */
  isDead(rank: number): boolean {
    return this.#faults?.isDead(rank) === true;
  }

  /**
   * Ends a rank, now. The others are told each when `noticeMs` has passed; "faults" must be given.
   */
  kill(rank: number, noticeMs: (rank: number) => number): void {
    this.#someFaults().kill(rank);
    this.#probe?.note(this.clock.nowMs, rank, "dies");
    this.#disarmTick(rank);
    for (let other = 0; other < this.ranks; other++) {
      if (other !== rank) this.#lose(other, rank, noticeMs(other));
    }
  }

  /** Ends the connection of two ranks, now. Each is told when its `noticeMs` has passed. */
  disconnect(a: number, b: number, noticeMs: (rank: number) => number): void {
    this.#someFaults().disconnect(a, b);
    this.#probe?.note(this.clock.nowMs, a, `loses its connection to ${b}`);
    this.#lose(a, b, noticeMs(a));
    this.#lose(b, a, noticeMs(b));
  }

  #someFaults(): Faults {
    if (this.#faults !== undefined) return this.#faults;
    throw new Error('Cannot lose ranks or connections: the cluster was made without "faults"');
  }

  #lose(rank: number, lost: number, noticeMs: number): void {
    this.clock.after(noticeMs, () => {
      if (this.isDead(rank)) return;
      this.#probe?.note(this.clock.nowMs, rank, `learns that ${lost} is lost`);
      this.engine(rank).peerLost(lost, "connection closed", this.clock.nowMs);
      this.#pump(rank);
    });
  }

  /** Starts a request of a rank, now. */
  start(rank: number, request: EngineRequest): void {
    if (this.isDead(rank)) return;
    const { nowMs } = this.clock;
    this.#probe?.started(nowMs, rank, request);
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
    const stuck = this.#engines.flatMap((engine, rank) =>
      engine === undefined || this.isDead(rank) ? [] : [...engine.activeRequests],
    );
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
    const { nowMs } = this.clock;
    this.#payload?.arrive(frame);
    this.#probe?.arrived(nowMs, frame);
    this.engine(to).frameArrived(frame, nowMs);
    this.#pump(to);
    if (frame.dataBytes === 0) return;
    this.clock.after(this.#network.latencyMs(to, from), this.#landed, frame);
  }

  #land(frame: Frame): void {
    const { from, to, parts } = frame;
    if (this.#faults?.isCut(from, to) === true) return;
    this.#probe?.landed(this.clock.nowMs, frame);
    this.engine(from).frameLanded(frame);
    for (const part of parts) if (part.kind === "data") this.#sent(from, part);
    this.#pump(from);
  }

  #sent(rank: number, part: DataPart): void {
    const { clock } = this;
    if (this.#payload === undefined) {
      this.engine(rank).sent(part, clock.nowMs);
      return;
    }
    this.#payload.whenRead(part, () => {
      if (this.isDead(rank)) return;
      this.engine(rank).sent(part, clock.nowMs);
      this.#pump(rank);
    });
  }

  /** Takes from an engine whatever it has, until it has nothing. */
  #pump(rank: number): void {
    // Somebody who is told of a request starts another one: what goes on here will see to it.
    if (this.#pumping[rank] === 1 || this.#standsStill(rank)) return;
    this.#pumping[rank] = 1;
    const engine = this.engine(rank);
    do this.#sendAll(engine);
    while (this.#compute(rank, engine) || this.#settle(rank, engine));
    this.#pumping[rank] = 0;
    if (engine.activeCount === 0) this.#disarmTick(rank);
  }

  /** Whether a rank does nothing now: it will be asked when it does again. */
  #standsStill(rank: number): boolean {
    if (this.#faults === undefined) return false;
    if (this.#faults.isDead(rank)) return true;
    const untilMs = this.#faults.stalledUntilMs(rank);
    if (untilMs === undefined) return false;
    if (!this.#waking.has(rank)) {
      this.#waking.add(rank);
      this.clock.at(untilMs, () => {
        this.#waking.delete(rank);
        this.#pump(rank);
      });
    }
    return true;
  }

  /** Gives the network what it can take, and comes back when it can take more. */
  #sendAll(engine: Engine): void {
    const { rank } = engine;
    const { nowMs } = this.clock;
    const probe = this.#probe;
    let hasSent = false;
    let againMs = Number.POSITIVE_INFINITY;
    const hasRoom = (to: number): boolean => {
      const freeMs = this.#network.freeAtMs(rank, to);
      if (freeMs <= nowMs) return true;
      againMs = Math.min(againMs, freeMs);
      return false;
    };
    for (;;) {
      againMs = Number.POSITIVE_INFINITY;
      const frame =
        probe === undefined
          ? engine.nextFrame(nowMs, hasRoom)
          : probe.nextFrame(engine, nowMs, hasRoom);
      if (frame === undefined) break;
      hasSent = true;
      this.#payload?.leave(frame);
      this.#faults?.leave(frame);
      if (this.#faults?.isCut(frame.from, frame.to) !== true) this.#network.send(frame);
    }
    if (againMs === Number.POSITIVE_INFINITY || this.#sendsAtMs[rank]! <= againMs) return;
    this.#sendsAtMs[rank] = againMs;
    // Who shares a port and has just sent comes back after those who wait for it already.
    if (!hasSent || !this.#network.sharesPorts) this.clock.at(againMs, this.#portFree, rank);
    else this.clock.at(nowMs, () => this.clock.at(againMs, this.#portFree, rank));
  }

  /** Begins a kernel. @returns whether it took no time and is done */
  #compute(rank: number, engine: Engine): boolean {
    if (this.#computing[rank] === 1) return false;
    const { nowMs } = this.clock;
    const probe = this.#probe;
    const kernel = probe === undefined ? engine.nextKernel(nowMs) : probe.nextKernel(engine, nowMs);
    if (kernel === undefined) return false;
    this.#payload?.begin(kernel);
    const ms = this.#kernelMs(kernel);
    if (ms === 0) {
      this.#payload?.end(kernel);
      engine.kernelDone(kernel, nowMs, 0);
      return true;
    }
    this.#computing[rank] = 1;
    this.#computingMs[rank] = ms;
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
    if (this.isDead(rank)) return;
    this.#payload?.end(kernel);
    this.engine(rank).kernelDone(kernel, this.clock.nowMs, this.#computingMs[rank]!);
    this.#pump(rank);
  }

  /** Tells of what is over. @returns whether there was anything */
  #settle(rank: number, engine: Engine): boolean {
    const settled = engine.takeSettled();
    for (const request of settled) {
      this.#probe?.settled(this.clock.nowMs, rank, request);
      this.onSettled(rank, request);
    }
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
    if (this.isDead(rank)) return;
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
