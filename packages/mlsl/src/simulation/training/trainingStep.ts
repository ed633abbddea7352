/**
 * Training on a simulated cluster. Every rank runs the same program on the virtual clock: the forward
 * pass from the first layer, in which a layer begins when the all-reduces of its gradients of the
 * iteration before are over; then the backward pass from the last layer, in which a layer's
 * all-reduces are started when its gradients are there. What a layer waits for is exposed
 * communication; everything else is hidden behind computing.
 *
 * Computing and communicating do not take from each other: the progress engine has a core of its own,
 * as in the paper (arXiv 1801.08030), and gradients are reduced in place.
 */

import type { EngineRequest } from "../../engine/request.js";
import { Cluster, type ClusterSpec } from "../cluster.js";
import { Random } from "../random.js";
import { type AllreduceName, AllreducePrograms } from "./allreduce.js";
import type { Net } from "./nets.js";
import { type LayerTimes, layerTimesOf, slackOf } from "./passes.js";

/** What is run. */
export interface TrainingSpec {
  readonly net: Net;
  /** Samples of each rank in an iteration; computing takes in proportion. */
  readonly batch: number;
  readonly cluster: ClusterSpec;
  /** Families of all-reduces to choose from, by cost. @default all */
  readonly algorithms?: readonly AllreduceName[];
  /**
   * Iterations before those that are measured. In the first, nobody waits; in the second, for
   * all-reduces for which the ranks had to meet. @default 2
   */
  readonly warmUp?: number;
  /** Iterations that are measured. @default 1 */
  readonly measured?: number;
  /**
   * Each rank computes, in each iteration, up to this share longer, by chance. @default 0
   */
  readonly skew?: number;
  /** Chooses which rank computes how much longer. @default 1 */
  readonly seed?: number;
}

/** What has been seen; means over the ranks and the measured iterations. */
export interface TrainingResult {
  /** From the end of a backward pass to that of the next. */
  readonly stepMs: number;
  /** By layer: how long its forward pass waited for its all-reduces. */
  readonly exposedMs: readonly number[];
  /** Virtual time and events of the whole run. */
  readonly totalMs: number;
  readonly events: number;
}

/** Where a rank is in its program. */
interface RankState {
  readonly rank: number;
  /** By layer: its all-reduces, and how many of them are not over. */
  readonly requests: readonly (readonly EngineRequest[])[];
  readonly pending: Int32Array;
  /** Of each rank its own, so that it does not matter who comes first. */
  readonly random: Random;
  iteration: number;
  layer: number;
  /** How much longer it computes in this iteration: a factor from 1. */
  slowness: number;
  /** Since when it waits; −1: it does not. */
  waitsSinceMs: number;
  /** When the measured iterations began and ended. */
  beganMs: number;
  endedMs: number;
}

/** One run. */
class Training {
  readonly #spec: TrainingSpec;
  readonly #cluster: Cluster;
  readonly #times: readonly LayerTimes[];
  readonly #first: number;
  readonly #end: number;
  readonly #states: readonly RankState[];
  /** By layer, summed over ranks. */
  readonly #exposedMs: Float64Array;
  readonly #layerOf = new WeakMap<EngineRequest, number>();
  readonly #forwardDone = (state: RankState): void => this.#endForward(state);
  readonly #backwardDone = (state: RankState): void => this.#endBackward(state);

  constructor(spec: TrainingSpec) {
    this.#spec = spec;
    this.#cluster = new Cluster(spec.cluster);
    this.#times = layerTimesOf(spec.net, spec.batch);
    this.#first = spec.warmUp ?? 2;
    this.#end = this.#first + (spec.measured ?? 1);
    this.#exposedMs = new Float64Array(this.#times.length);
    this.#states = this.#makeStates();
    this.#cluster.onSettled = (rank, request) => this.#settled(this.#states[rank]!, request);
  }

  #makeStates(): RankState[] {
    const { network } = this.#spec.cluster;
    const { ranks } = network;
    const members = Array.from({ length: ranks }, (_, rank) => rank);
    const { chunkBytes, windowBytes } = this.#cluster;
    const { latencyMs, overheadMs, bandwidthGBps } = network;
    const link = { latencyMs, overheadMs, bandwidthGBps, windowBytes };
    const { algorithms: names } = this.#spec;
    const programs = new AllreducePrograms({ ranks, chunkBytes, link, ...(names && { names }) });
    const slacks = slackOf(this.#times);
    const choices = this.#spec.net.layers.map(({ messages }, layer) =>
      messages.map((bytes) => programs.choice(bytes, slacks[layer]!)),
    );
    return members.map((rank) => {
      const engine = this.#cluster.engine(rank);
      const group = engine.openGroup(0, members);
      const requests = this.#spec.net.layers.map(({ messages }, layer) =>
        messages.map((bytes, message) => {
          const request = engine.post(group, {
            fingerprint: `allreduce sum float32 ${bytes}`,
            program: programs.program(choices[layer]![message]!, bytes, rank),
            priority: layer,
            timeoutMs: Number.POSITIVE_INFINITY,
            persistent: true,
          });
          this.#layerOf.set(request, layer);
          return request;
        }),
      );
      const pending = new Int32Array(requests.length);
      const at = { iteration: -1, layer: 0, slowness: 1, waitsSinceMs: -1 };
      const random = new Random((this.#spec.seed ?? 1) + rank);
      return { rank, requests, pending, random, ...at, beganMs: 0, endedMs: 0 };
    });
  }

  run(): TrainingResult {
    for (const state of this.#states) this.#nextIteration(state);
    this.#cluster.run();
    const iterations = this.#end - this.#first;
    const samples = iterations * this.#states.length;
    const spent = this.#states.reduce((sum, { beganMs, endedMs }) => sum + endedMs - beganMs, 0);
    return {
      stepMs: spent / samples,
      exposedMs: Array.from(this.#exposedMs, (ms) => ms / samples),
      totalMs: this.#cluster.clock.nowMs,
      events: this.#cluster.clock.eventCount,
    };
  }

  #nextIteration(state: RankState): void {
    const { nowMs } = this.#cluster.clock;
    const { skew = 0 } = this.#spec;
    state.iteration++;
    if (state.iteration === this.#first) state.beganMs = nowMs;
    state.endedMs = nowMs;
    if (state.iteration === this.#end) return;
    state.slowness = 1 + skew * state.random.next();
    state.layer = 0;
    this.#beginForward(state);
  }

  /** Begins a layer, or waits for its all-reduces. */
  #beginForward(state: RankState): void {
    const { clock } = this.#cluster;
    if (state.pending[state.layer]! > 0) {
      state.waitsSinceMs = clock.nowMs;
      return;
    }
    const ms = this.#times[state.layer]!.forwardMs * state.slowness;
    clock.after(ms, this.#forwardDone, state);
  }

  #settled(state: RankState, request: EngineRequest): void {
    const layer = this.#layerOf.get(request)!;
    state.pending[layer]!--;
    if (state.waitsSinceMs < 0 || layer !== state.layer || state.pending[layer]! > 0) return;
    if (state.iteration >= this.#first) {
      this.#exposedMs[layer]! += this.#cluster.clock.nowMs - state.waitsSinceMs;
    }
    state.waitsSinceMs = -1;
    this.#beginForward(state);
  }

  #endForward(state: RankState): void {
    state.layer++;
    if (state.layer < this.#times.length) {
      this.#beginForward(state);
      return;
    }
    state.layer--;
    this.#beginBackward(state);
  }

  #beginBackward(state: RankState): void {
    const ms = this.#times[state.layer]!.backwardMs * state.slowness;
    this.#cluster.clock.after(ms, this.#backwardDone, state);
  }

  #endBackward(state: RankState): void {
    // Nobody would wait for the last ones, and nothing that is measured is under way any more.
    if (state.iteration < this.#end - 1) {
      const requests = state.requests[state.layer]!;
      state.pending[state.layer] = requests.length;
      for (const request of requests) this.#cluster.start(state.rank, request);
    }
    if (state.layer === 0) {
      this.#nextIteration(state);
      return;
    }
    state.layer--;
    this.#beginBackward(state);
  }
}

/**
 * Trains for some iterations.
 *
 * @throws {RangeError} if the cluster, batch, or numbers of iterations are impossible
 */
export function simulateTraining(spec: TrainingSpec): TrainingResult {
  const { batch, warmUp = 0, measured = 1 } = spec;
  for (const [name, value, least] of [
    ["batch", batch, 1],
    ["warmUp", warmUp, 0],
    ["measured", measured, 1],
  ] as const) {
    if (Number.isSafeInteger(value) && value >= least) continue;
    throw new RangeError(
      `Cannot simulate training: "${name}" must be an integer from ${least}, got ${value}`,
    );
  }
  return new Training(spec).run();
}
