/**
 * The published experiment on the communication of the first layer (S. Sridharan et al., On
 * Scale-out Deep Learning Training for Cloud and HPC, 2018, arXiv 1801.08030), on simulated nodes:
 * how long the first layer waits, and how long an iteration is, for each order of messages.
 */

import { chunkBytesFor } from "../../engine/chunkSize.js";
import type { OrderMode } from "../../engine/order.js";
import type { AllreduceName } from "./allreduce.js";
import { boundsOf } from "./bounds.js";
import { COMPUTE_BATCH, type Net } from "./nets.js";
import { simulateTraining } from "./trainingStep.js";

/** What all cases have in common. */
export interface ExperimentSetting {
  /** Of a port, each way. */
  readonly bandwidthGBps: number;
  /** From a node to another. */
  readonly latencyMs: number;
  /** Time of a processor that a frame costs. */
  readonly overheadMs: number;
  readonly chunkBytes: number;
  readonly warmUp: number;
  readonly measured: number;
  readonly skew: number;
  readonly seed: number;
  /** @default all */
  readonly algorithms?: readonly AllreduceName[];
}

/** What is run. */
export interface TrainingCase {
  readonly net: Net;
  readonly nodes: number;
  /** Samples of each node in an iteration. */
  readonly batch: number;
  readonly mode: OrderMode;
}

/** What has been seen. Names as in JSON lines. */
export interface TrainingLine {
  readonly net: string;
  readonly nodes: number;
  readonly batch: number;
  readonly mode: OrderMode;
  readonly compute_ms: number;
  readonly backward_ms: number;
  readonly communication_ms: number;
  readonly step_ms: number;
  /** By the first layer, and by all. */
  readonly exposed_first_ms: number;
  readonly exposed_ms: number;
  readonly bound_ms: number;
  readonly pipeline_bound_ms: number;
  readonly step_to_bound: number;
  /** How many times less than in the line of the same case in mode fifo; null without one. */
  readonly first_less_than_fifo: number | null;
  readonly events: number;
}

/**
 * 10-gigabit Ethernet. The latency is that of a small message between two hosts over one switch, and
 * what a frame costs a processor that of a system call; neither is published with the experiment.
 */
export const ETHERNET_10: Readonly<
  Pick<ExperimentSetting, "bandwidthGBps" | "latencyMs" | "overheadMs">
> = { bandwidthGBps: 1.25, latencyMs: 0.02, overheadMs: 0.002 };

/** An urgent chunk waits for few others in each round, so what the first layer waits grows with this. */
export const EXPERIMENT_CHUNK_BYTES: number = chunkBytesFor(ETHERNET_10);

/** One core that adds floats, or copies them: what its memory gives. */
const KERNELS = { combineGBps: 10, copyGBps: 10 };

/** Whether the backward pass is too short to hide the communication. */
function exceedsBackward(net: Net, batch: number, nodes: number, bandwidthGBps: number): boolean {
  const { communicationMs, backwardMs } = boundsOf({ net, batch, nodes, bandwidthGBps });
  return communicationMs > backwardMs;
}

/**
 * The batches that a net is run with if none are named: that of the published times; and if its
 * backward pass hides all communication, the largest power of two whose backward pass does not.
 */
export function batchesFor(net: Net, nodes: number, bandwidthGBps: number): number[] {
  let batch = COMPUTE_BATCH;
  while (batch > 1 && !exceedsBackward(net, batch, nodes, bandwidthGBps)) batch /= 2;
  return batch === COMPUTE_BATCH ? [batch] : [COMPUTE_BATCH, batch];
}

/** Runs a case. @param fifo the line of the same case in mode fifo */
export function runCase(
  one: TrainingCase,
  setting: ExperimentSetting,
  fifo: TrainingLine | undefined,
): TrainingLine {
  const { net, nodes, batch, mode } = one;
  const { bandwidthGBps, latencyMs, overheadMs, chunkBytes, algorithms } = setting;
  const network = { ranks: nodes, bandwidthGBps, latencyMs, overheadMs };
  const { warmUp, measured, skew, seed } = setting;
  const { stepMs, exposedMs, events } = simulateTraining({
    ...{ net, batch, warmUp, measured, skew, seed },
    ...(algorithms !== undefined && { algorithms }),
    cluster: { network, mode, chunkBytes, kernels: KERNELS },
  });
  const bounds = boundsOf({ net, batch, nodes, bandwidthGBps });
  const first = exposedMs[0]!;
  return {
    ...{ net: net.name, nodes, batch, mode },
    compute_ms: bounds.computeMs,
    backward_ms: bounds.backwardMs,
    communication_ms: bounds.communicationMs,
    step_ms: stepMs,
    exposed_first_ms: first,
    exposed_ms: exposedMs.reduce((sum, ms) => sum + ms, 0),
    bound_ms: bounds.boundMs,
    pipeline_bound_ms: bounds.pipelineBoundMs,
    step_to_bound: stepMs / bounds.boundMs,
    first_less_than_fifo: fifo === undefined || first === 0 ? null : fifo.exposed_first_ms / first,
    events,
  };
}
