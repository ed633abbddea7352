/** One training of the demo as a job of its own. */

import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { launch, type RankLine } from "mlsl/launch";
import {
  type DoneEvent,
  type EpochEvent,
  parseEvent,
  type StartEvent,
  type TrainingEvent,
} from "../mnist/events.js";
import type { TrainingOptions } from "../mnist/trainingOptions.js";

const SCRIPT = fileURLToPath(new URL("../mnist/train.js", import.meta.url));

/** What a training came to. */
export interface TrainingRun {
  readonly start: StartEvent;
  readonly epochs: readonly EpochEvent[];
  readonly done: DoneEvent;
}

/** How to run it. */
export interface TrainingJob {
  readonly ranks: number;
  readonly threads: boolean;
  readonly training: TrainingOptions;
  readonly onEvent: (event: TrainingEvent) => void;
  /** Takes what the ranks print besides, and what the launcher has to say. */
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
  /**
   * A line is a turn: the training waits for one before each epoch and before the test.
   *
   * @default it never waits
   */
  readonly turns?: Readable;
}

/** A training has failed, or was broken off. */
export class TrainingFailedError extends Error {
  override readonly name = "TrainingFailedError";
  readonly code = "ERR_DEMO_TRAINING_FAILED";
  /** Exit code for the demo. */
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Starts the ranks and resolves when they have ended.
 *
 * @throws {TrainingFailedError} If a rank failed or the signal was given.
 * @throws {LaunchRefusedError} If the job cannot be run here.
 */
export async function runTraining(job: TrainingJob): Promise<TrainingRun> {
  const events: TrainingEvent[] = [];
  const { exitCode, failure } = await launch({
    script: SCRIPT,
    args: [...toArguments(job.training), ...(job.turns ? ["--turns"] : [])],
    ranks: job.ranks,
    ...(job.threads ? { form: "threads" } : {}),
    ...(job.turns ? { input: job.turns } : {}),
    signal: job.signal,
    onMessage: job.onText,
    onLine: ({ stream, text }: RankLine) => {
      const event = stream === "stdout" ? parseEvent(text) : undefined;
      if (!event) return job.onText(text);
      events.push(event);
      job.onEvent(event);
    },
  });
  if (exitCode !== 0) {
    const reason = failure?.message ?? "it was broken off";
    throw new TrainingFailedError(`Training on ${job.ranks} ranks failed: ${reason}`, exitCode);
  }
  return toRun(events);
}

function toArguments({ net, epochs, seed, limit }: TrainingOptions): string[] {
  const options = Object.entries({ net, epochs, seed, limit });
  return ["--events", ...options.flatMap(([name, value]) => [`--${name}`, String(value)])];
}

function toRun(events: readonly TrainingEvent[]): TrainingRun {
  const start = events.find((event) => event.kind === "start");
  const done = events.find((event) => event.kind === "done");
  if (!start || !done) {
    throw new Error("Cannot compare the training: rank 0 ended without telling its results");
  }
  return { start, done, epochs: events.filter((event) => event.kind === "epoch") };
}
