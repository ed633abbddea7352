/**
 * Two trainings that take turns, epoch by epoch: what else the machine does meanwhile, and how fast
 * its cores just are, meets both alike.
 */

import { PassThrough } from "node:stream";
import type { TrainingEvent } from "../mnist/events.js";
import type { TrainingRun } from "./runTraining.js";

/** What a training is given: its turns, and whom to tell what happens. */
export interface TurnTaking {
  readonly turns: PassThrough;
  readonly onEvent: (event: TrainingEvent) => void;
  readonly signal: AbortSignal;
}

/** Starts a training that takes turns. */
export type StartTraining = (taking: TurnTaking) => Promise<TrainingRun>;

/**
 * Starts both; once both are ready, the first one gets the first turn.
 *
 * @param signal ends both
 * @throws What the first one to fail throws; the other one is ended, too.
 */
export async function takeTurns(
  start: readonly [few: StartTraining, many: StartTraining],
  signal: AbortSignal,
): Promise<[few: TrainingRun, many: TrainingRun]> {
  const inputs = [new PassThrough(), new PassThrough()] as const;
  const failure = new AbortController();
  const ended = AbortSignal.any([signal, failure.signal]);
  let ready = 0;
  const take = (index: 0 | 1): Promise<TrainingRun> => {
    const onEvent = ({ kind }: TrainingEvent) => {
      if (kind === "step") return;
      if (kind === "done") inputs[index].end();
      // Ready, an epoch done or all done: it is the other one's turn. Both must be ready first.
      if (kind === "start" && ++ready < inputs.length) return;
      const next = kind === "start" ? 0 : 1 - index;
      inputs[next]?.write("go\n");
    };
    return start[index]({ turns: inputs[index], onEvent, signal: ended });
  };
  const runs = [take(0), take(1)] as const;
  try {
    return await Promise.all(runs);
  } catch (error) {
    failure.abort();
    await Promise.allSettled(runs);
    throw error;
  }
}
