/** When a rank computes what in an iteration. */

import { COMPUTE_BATCH, multiplyAddsOf, type Net } from "./nets.js";

/** A third of an iteration is forward: backward has gradients of inputs and of weights to make. */
const FORWARD_SHARE = 1 / 3;

/** Times of a layer. */
export interface LayerTimes {
  readonly forwardMs: number;
  readonly backwardMs: number;
}

/** Milliseconds that a rank computes in an iteration of so many samples. */
export function computeMsOf({ computeMs }: Net, batch: number): number {
  return (computeMs * batch) / COMPUTE_BATCH;
}

/** By layer: each takes its share of the multiply-adds. */
export function layerTimesOf(net: Net, batch: number): LayerTimes[] {
  const msPerMultiplyAdd = computeMsOf(net, batch) / multiplyAddsOf(net);
  return net.layers.map(({ multiplyAdds }) => {
    const ms = multiplyAdds * msPerMultiplyAdd;
    return { forwardMs: ms * FORWARD_SHARE, backwardMs: ms * (1 - FORWARD_SHARE) };
  });
}

/**
 * By layer: milliseconds from when its gradients are there until its next forward pass, if nothing
 * is waited for; the layers before it are computed in between. The first layer has none.
 */
export function slackOf(times: readonly LayerTimes[]): number[] {
  let sum = 0;
  return times.map(({ forwardMs, backwardMs }) => {
    const slack = sum;
    sum += forwardMs + backwardMs;
    return slack;
  });
}
