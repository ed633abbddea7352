/**
 * Tests with several ranks: a script is run once per rank, and its results come back. This file
 * alone knows how the ranks are started and where their group comes from.
 */

import assert from "node:assert/strict";
import { parentPort, Worker, workerData } from "node:worker_threads";
import type { Group } from "mlsl";
import { createSharedState, type SharedState, ThreadGroup } from "./threadGroup.js";

/** How to run a script. */
export interface RunOptions<Input> {
  readonly ranks: number;
  readonly input: Input;
  /** Bytes of shared memory per rank. */
  readonly arenaBytes?: number;
}

/** What became of a rank. */
export type Outcome<Output> = { readonly value: Output } | { readonly error: string };

interface RankData {
  readonly rank: number;
  readonly shared: SharedState;
  readonly input: unknown;
}

const DEFAULT_ARENA_BYTES = 16 * 1024 * 1024;

/** Runs the script on all ranks; failures of the body it serves are outcomes, too. */
export async function runRanks<Input, Output>(
  script: URL,
  { ranks, input, arenaBytes = DEFAULT_ARENA_BYTES }: RunOptions<Input>,
): Promise<Outcome<Output>[]> {
  const shared = createSharedState(ranks, arenaBytes);
  const workers = Array.from({ length: ranks }, (_, rank) => {
    const data: RankData = { rank, shared, input };
    return new Worker(script, { workerData: data });
  });
  const outcomes = workers.map(
    (worker) =>
      new Promise<Outcome<Output>>((resolve, reject) => {
        worker.once("message", resolve);
        worker.once("error", reject);
        worker.once("exit", () => reject(new Error("A rank ended without a result")));
      }),
  );
  try {
    return await Promise.all(outcomes);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** As {@link runRanks}, for scripts that are to succeed on all ranks. */
export async function resultsOf<Input, Output>(
  script: URL,
  options: RunOptions<Input>,
): Promise<Output[]> {
  const outcomes = await runRanks<Input, Output>(script, options);
  return outcomes.map((outcome, rank) => {
    assert.ok("value" in outcome, `rank ${rank}: ${"error" in outcome ? outcome.error : ""}`);
    return outcome.value;
  });
}

/** In a script: the body that is run on each rank. Its result must be cloneable. */
export async function serveRank<Input, Output>(
  body: (group: Group, input: Input) => Promise<Output>,
): Promise<void> {
  const { rank, shared, input } = workerData as RankData;
  const outcome = await body(new ThreadGroup(rank, shared), input as Input).then(
    (value): Outcome<Output> => ({ value }),
    (error): Outcome<Output> => ({ error: String(error) }),
  );
  parentPort?.postMessage(outcome);
}
