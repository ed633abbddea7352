/**
 * Broadcast of a long vector: the root scatters it along a binomial tree, then everybody's block
 * goes round in a ring. Nobody sends much more than the vector twice, whatever the ranks; a
 * binomial tree sends it ⌈log2 n⌉ times.
 *
 * Source: M. Barnett, L. Shuler, R. van de Geijn et al., Interprocessor collective communication
 * library (InterCom), SHPCC 1994; Thakur, Rabenseifner, Gropp 2005 (see binomial.ts), broadcast.
 */

import { blockRegions, evenBlocks } from "./blocks.js";
import { type Subtree, treePlace } from "./intervalTree.js";
import { addRingAllgather } from "./ring.js";
import { ScheduleBuilder } from "./scheduleBuilder.js";
import type { RootedShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

export function scatterAllgatherBroadcast(shape: RootedShape): TransportSchedule {
  const { rank, ranks, root, count } = shape;
  const { parent, own, children } = treePlace(rank, ranks, root);
  const blocks = evenBlocks(count, ranks);
  const builder = new ScheduleBuilder();
  const place = (tree: Subtree) => blockRegions("recv", blocks, tree);
  if (parent !== undefined) for (const part of place(own)) builder.receive(parent, part);
  for (const child of children) for (const part of place(child)) builder.send(child.root, part);
  const left = (rank - 1 + ranks) % ranks;
  const right = (rank + 1) % ranks;
  addRingAllgather(builder, { position: rank, ranks, left, right }, blocks);
  return builder.build();
}
