/**
 * Schedules for ranks that see each other's memory: nothing is sent, everybody reads where the
 * data lies. A schedule is a pure function of the operation's shape and says in which order a rank
 * works on which chunk; the executor knows where the bytes are.
 *
 * A buffer outside the segment passes through two staging blocks of its rank, used in turns. While
 * chunk c is worked on, chunk c+1 is staged into the other block, so one meeting per chunk is
 * enough: when all have met, everybody has finished with chunk c and everybody's chunk c+1 lies
 * ready. A buffer inside the segment is one chunk and is never copied.
 *
 * The first chunk is staged before the ranks first meet to compare what they are about to do, so
 * that meeting serves as the first synchronisation.
 */

/** What one rank does next. */
export type Step =
  /** Makes the rank's own chunk visible to the others; nothing to do inside the segment. */
  | { readonly kind: "stage"; readonly chunk: number }
  /** Waits until every rank has come to this point. */
  | { readonly kind: "sync" }
  /** Combines the rank's slice of the chunk of all ranks into that of all ranks. */
  | { readonly kind: "reduce"; readonly chunk: number }
  /** Copies another rank's chunk to where it belongs in the rank's own result. */
  | { readonly kind: "fetch"; readonly chunk: number; readonly from: number }
  /** Copies the rank's own result out of its staging block; nothing to do inside the segment. */
  | { readonly kind: "collect"; readonly chunk: number };

/** Shape of an operation, as far as a schedule depends on it. */
export interface DirectShape {
  readonly rank: number;
  readonly ranks: number;
  /** At least 1. */
  readonly chunks: number;
}

const SYNC: Step = { kind: "sync" };

function stageNext(steps: Step[], chunk: number, chunks: number): void {
  if (chunk + 1 < chunks) steps.push({ kind: "stage", chunk: chunk + 1 });
}

/** Every rank reduces its slice of each chunk for all. */
export function directAllreduce({ chunks }: DirectShape): Step[] {
  const steps: Step[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    steps.push({ kind: "reduce", chunk });
    stageNext(steps, chunk, chunks);
    steps.push(SYNC, { kind: "collect", chunk });
  }
  return steps;
}

/** Every rank but the root copies the root's chunks. */
export function directBroadcast({ rank, chunks }: DirectShape, root: number): Step[] {
  const steps: Step[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    if (rank === root) stageNext(steps, chunk, chunks);
    else steps.push({ kind: "fetch", chunk, from: root });
    steps.push(SYNC);
  }
  return steps;
}

/** Every rank copies everybody's chunks, beginning with its right neighbour's to spread the load. */
export function directAllgather({ rank, ranks, chunks }: DirectShape): Step[] {
  const steps: Step[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    for (let i = 1; i <= ranks; i++) {
      steps.push({ kind: "fetch", chunk, from: (rank + i) % ranks });
    }
    stageNext(steps, chunk, chunks);
    steps.push(SYNC);
  }
  return steps;
}
