/**
 * Everything goes straight from its owner to whoever needs it: the fewest bytes, n−1 messages at
 * one rank or at every rank. Peers are served in turn from the right neighbour on, so that the
 * ranks do not all begin with the same one.
 */

import { type Blocks, blockRegion, equalBlocks, listedBlocks } from "./blocks.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { RootedBlocksShape, RootedShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

function gather({ rank, ranks, root, count }: RootedShape, blocks: Blocks): TransportSchedule {
  const builder = new ScheduleBuilder();
  const own = region("send", 0, count);
  if (rank !== root) {
    builder.send(root, own);
    return builder.build();
  }
  builder.copy(own, blockRegion("recv", blocks, rank));
  for (let k = 1; k < ranks; k++) {
    const from = (root + k) % ranks;
    builder.receive(from, blockRegion("recv", blocks, from));
  }
  return builder.build();
}

function scatter({ rank, ranks, root, count }: RootedShape, blocks: Blocks): TransportSchedule {
  const builder = new ScheduleBuilder();
  const own = region("recv", 0, count);
  if (rank !== root) {
    builder.receive(root, own);
    return builder.build();
  }
  for (let k = 1; k < ranks; k++) {
    const to = (root + k) % ranks;
    builder.send(to, blockRegion("send", blocks, to));
  }
  builder.copy(blockRegion("send", blocks, rank), own);
  return builder.build();
}

/** Where the blocks lie at the root; elsewhere nobody asks. */
function blocksAtRoot({ blocks, count }: RootedBlocksShape): Blocks {
  return blocks === undefined ? equalBlocks(count) : listedBlocks(blocks.counts, blocks.offsets);
}

export function linearGather(shape: RootedShape): TransportSchedule {
  return gather(shape, equalBlocks(shape.count));
}

export function linearScatter(shape: RootedShape): TransportSchedule {
  return scatter(shape, equalBlocks(shape.count));
}

export function linearGatherv(shape: RootedBlocksShape): TransportSchedule {
  return gather(shape, blocksAtRoot(shape));
}

export function linearScatterv(shape: RootedBlocksShape): TransportSchedule {
  return scatter(shape, blocksAtRoot(shape));
}
