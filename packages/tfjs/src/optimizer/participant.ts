/** Optimizers that take part in a group, and what training loops ask of them. */

import type { Optimizer, Variable } from "@tensorflow/tfjs-core";
import type { Group } from "mlsl";

/** An optimizer that averages over a group. */
export interface Participant {
  readonly group: Group;
  /** Runs a step on a batch of this many samples. */
  withBatch<T>(batchSize: number, step: () => T): T;
  /** Takes part in the steps of ranks that still have batches, until no rank has one. */
  finishEpoch(variables: readonly Variable[]): void;
}

/**
 * By optimizer: `instanceof` cannot tell, since tfjs makes every object with the methods of an
 * optimizer an instance of Optimizer and of all its subclasses.
 */
const participants = new WeakMap<Optimizer, Participant>();

/** Lets training loops know that this optimizer takes part in a group. */
export function addParticipant(optimizer: Optimizer, participant: Participant): void {
  participants.set(optimizer, participant);
}

/** The part that an optimizer takes; undefined if it is an ordinary one, or alone in its group. */
export function participantOf(optimizer: Optimizer | undefined): Participant | undefined {
  const participant = optimizer && participants.get(optimizer);
  return participant && participant.group.ranks > 1 ? participant : undefined;
}
