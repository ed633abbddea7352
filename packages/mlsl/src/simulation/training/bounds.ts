/** What no order of messages can be faster than. */

import { BYTES_PER_MS } from "../network.js";
import { messageBytesOf, type Net } from "./nets.js";
import { computeMsOf, layerTimesOf } from "./passes.js";

/** Who trains. */
export interface BoundSpec {
  readonly net: Net;
  /** Samples of each node in an iteration. */
  readonly batch: number;
  readonly nodes: number;
  readonly bandwidthGBps: number;
}

/** Milliseconds of an iteration. */
export interface TrainingBounds {
  readonly computeMs: number;
  readonly backwardMs: number;
  /**
   * What an all-reduce of all messages occupies a node's port with, each way: 2·m·(n−1)/n bytes,
   * less than which none can move.
   */
  readonly communicationMs: number;
  /** max(compute, communication): as if gradients of an iteration were there at its beginning. */
  readonly boundMs: number;
  /**
   * The gradients of a layer and those before it can travel only from its backward pass on, until its
   * next forward pass. So an iteration takes at least the computing of the layers from it on and
   * the communication of those up to it, whichever layer that is. At least `boundMs`, mostly.
   */
  readonly pipelineBoundMs: number;
}

export function boundsOf({ net, batch, nodes, bandwidthGBps }: BoundSpec): TrainingBounds {
  const msPerByte = (2 * (nodes - 1)) / nodes / (bandwidthGBps * BYTES_PER_MS);
  const computeMs = computeMsOf(net, batch);
  const communicationMs = messageBytesOf(net) * msPerByte;
  const times = layerTimesOf(net, batch);
  let [left, sent, pipelineBoundMs] = [computeMs, 0, computeMs];
  net.layers.forEach(({ messages }, layer) => {
    sent += messages.reduce((sum, bytes) => sum + bytes, 0) * msPerByte;
    pipelineBoundMs = Math.max(pipelineBoundMs, left + sent);
    left -= times[layer]!.forwardMs + times[layer]!.backwardMs;
  });
  return {
    computeMs,
    backwardMs: times.reduce((sum, { backwardMs }) => sum + backwardMs, 0),
    communicationMs,
    boundMs: Math.max(computeMs, communicationMs),
    pipelineBoundMs,
  };
}
