/** Fewer, longer messages: what many nodes need, as each message takes all its rounds. */

import type { NetLayer } from "./layers.js";
import type { Net } from "./nets.js";

/**
 * A net whose layers send together: going back from the last layer, gradients are collected until
 * they have `fuseBytes`, or the first layer is reached, and leave as one message of the layer that is
 * there then. That is the first of them in which the next forward pass needs any.
 */
export function fuseMessages(net: Net, fuseBytes: number): Net {
  let collected = 0;
  const fuse = (layer: NetLayer, place: number): NetLayer => {
    collected += layer.messages.reduce((sum, bytes) => sum + bytes, 0);
    const isSent = place === 0 || collected >= fuseBytes;
    const messages = isSent && collected > 0 ? [collected] : [];
    if (isSent) collected = 0;
    return { ...layer, messages };
  };
  return {
    ...net,
    layers: net.layers
      .map((_, i, all) => {
        const place = all.length - 1 - i;
        return fuse(all[place]!, place);
      })
      .toReversed(),
  };
}
