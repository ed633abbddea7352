/**
 * Hosts whose ports are joined by a network that is never short of bandwidth itself: what limits
 * are the ports. A port is full duplex; in each direction it carries one frame after the other.
 *
 * A frame occupies its sender's processor for `overheadMs`, then the outgoing port while its bytes
 * leave. Its head is at the receiver's port a latency later, where it waits until that port is free
 * and occupies it as long again; where nobody else comes in between, the frame is in when its last
 * byte has left and a latency has passed. So it shows when several ranks send to one, or share a
 * port. This is the LogGP model with ports:
 * A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, LogGP, 1995.
 */

import type { Frame } from "../engine/frames.js";
import type { VirtualClock } from "./virtualClock.js";

/** Hosts, and what joins them. */
export interface NetworkSpec {
  readonly ranks: number;
  /** Ranks 0 … this−1 are on the first host, and so on. @default 1 */
  readonly ranksPerHost?: number;
  /** From a host to another, of a frame without bytes. */
  readonly latencyMs: number;
  /** Of a port, each way; gigabytes per second. */
  readonly bandwidthGBps: number;
  /** Time of the sender's processor that a frame costs besides its bytes. */
  readonly overheadMs: number;
  /** Between ranks of one host. @default 0.001 */
  readonly localLatencyMs?: number;
  /** Of what one rank sends to others of its host. @default 10 */
  readonly localBandwidthGBps?: number;
}

/** A rank that waits sees a word of another core's within about a microsecond. */
const LOCAL_LATENCY_MS = 0.001;
/** What a core copies per second. */
const LOCAL_BANDWIDTH_GBPS = 10;

/** Bytes in a millisecond at 1 GB/s. */
export const BYTES_PER_MS = 1e6;

/** Takes a frame that is wholly in. */
export type FrameSink = (frame: Frame) => void;

/** Carries frames. Those from one rank to another arrive in the order in which they were sent. */
export class Network {
  readonly #clock: VirtualClock;
  readonly #arrived: FrameSink;
  readonly #ranks: number;
  readonly #ranksPerHost: number;
  readonly #latencyMs: number;
  readonly #localLatencyMs: number;
  readonly #overheadMs: number;
  readonly #msPerByte: number;
  readonly #localMsPerByte: number;
  /** When it is free again: by host, its port out and in; by rank, its processor and local link. */
  readonly #outFreeMs: Float64Array;
  readonly #inFreeMs: Float64Array;
  readonly #processorFreeMs: Float64Array;
  readonly #localFreeMs: Float64Array;
  readonly #headArrived: FrameSink = (frame) => this.#enter(frame);

  /** @param arrived is called when a frame is wholly in, at that time */
  constructor(spec: NetworkSpec, clock: VirtualClock, arrived: FrameSink) {
    checkSpec(spec);
    this.#clock = clock;
    this.#arrived = arrived;
    this.#ranks = spec.ranks;
    this.#ranksPerHost = spec.ranksPerHost ?? 1;
    this.#latencyMs = spec.latencyMs;
    this.#localLatencyMs = spec.localLatencyMs ?? LOCAL_LATENCY_MS;
    this.#overheadMs = spec.overheadMs;
    this.#msPerByte = 1 / (spec.bandwidthGBps * BYTES_PER_MS);
    this.#localMsPerByte = 1 / ((spec.localBandwidthGBps ?? LOCAL_BANDWIDTH_GBPS) * BYTES_PER_MS);
    const hosts = Math.ceil(spec.ranks / this.#ranksPerHost);
    this.#outFreeMs = new Float64Array(hosts);
    this.#inFreeMs = new Float64Array(hosts);
    this.#processorFreeMs = new Float64Array(spec.ranks);
    this.#localFreeMs = new Float64Array(spec.ranks);
  }

  /** The host of a rank. */
  hostOf(rank: number): number {
    return Math.floor(rank / this.#ranksPerHost);
  }

  /** Milliseconds from a rank to another of what has no bytes. */
  latencyMs(from: number, to: number): number {
    return this.hostOf(from) === this.hostOf(to) ? this.#localLatencyMs : this.#latencyMs;
  }

  /** Sends a frame: it leaves when its sender's processor and the port are free. */
  send(frame: Frame): void {
    const { from, to, byteLength } = frame;
    if (!(to >= 0 && to < this.#ranks)) {
      throw new RangeError(`Cannot send to rank ${to}: there are ${this.#ranks} ranks`);
    }
    const nowMs = this.#clock.nowMs;
    const readyMs = Math.max(nowMs, this.#processorFreeMs[from]!) + this.#overheadMs;
    this.#processorFreeMs[from] = readyMs;
    const host = this.hostOf(from);
    if (host === this.hostOf(to)) {
      const endMs = Math.max(readyMs, this.#localFreeMs[from]!) + byteLength * this.#localMsPerByte;
      this.#localFreeMs[from] = endMs;
      this.#clock.at(endMs + this.#localLatencyMs, this.#arrived, frame);
      return;
    }
    const leavesMs = Math.max(readyMs, this.#outFreeMs[host]!);
    this.#outFreeMs[host] = leavesMs + byteLength * this.#msPerByte;
    this.#clock.at(leavesMs + this.#latencyMs, this.#headArrived, frame);
  }

  /** Lets nothing leave or enter a host for some time from now on. */
  stall(host: number, ms: number): void {
    const untilMs = this.#clock.nowMs + ms;
    this.#outFreeMs[host] = Math.max(this.#outFreeMs[host]!, untilMs);
    this.#inFreeMs[host] = Math.max(this.#inFreeMs[host]!, untilMs);
  }

  /** The head of a frame is at the receiver's port. Who comes first is only known now. */
  #enter(frame: Frame): void {
    const host = this.hostOf(frame.to);
    const startMs = Math.max(this.#clock.nowMs, this.#inFreeMs[host]!);
    const endMs = startMs + frame.byteLength * this.#msPerByte;
    this.#inFreeMs[host] = endMs;
    this.#clock.at(endMs, this.#arrived, frame);
  }
}

function checkSpec(spec: NetworkSpec): void {
  const { ranks, ranksPerHost = 1, latencyMs, bandwidthGBps, overheadMs } = spec;
  const { localLatencyMs = 0, localBandwidthGBps = 1 } = spec;
  for (const [name, value] of Object.entries({ ranks, ranksPerHost })) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new RangeError(
      `Cannot make a network: "${name}" must be an integer from 1, got ${value}`,
    );
  }
  for (const [name, value] of Object.entries({ latencyMs, overheadMs, localLatencyMs })) {
    if (value >= 0 && Number.isFinite(value)) continue;
    throw new RangeError(`Cannot make a network: "${name}" must be 0 or more, got ${value}`);
  }
  for (const [name, value] of Object.entries({ bandwidthGBps, localBandwidthGBps })) {
    if (value > 0) continue;
    throw new RangeError(`Cannot make a network: "${name}" must be more than 0, got ${value}`);
  }
}
