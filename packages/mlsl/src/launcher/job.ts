/** One job: its ranks are started, watched, and ended together. */

import { constants } from "node:os";
import type { RankStatus } from "../memory/rankStatus.js";
import { type EndAction, EndPolicy, type RankEnd, type RankFailure } from "./endPolicy.js";
import { JobOutput } from "./jobOutput.js";
import { type JobPlan, makePlan, setupOf } from "./jobPlan.js";
import { FileSegment, type JobSegment, MemorySegment } from "./jobSegment.js";
import { type LaunchOptions, LaunchRefusedError, type RankForm } from "./launchOptions.js";
import { startProcessRank } from "./processRanks.js";
import type { RankHandle, RankListener } from "./rankHandle.js";
import { startThreadRank } from "./threadRanks.js";

/** What a job came to. */
export interface LaunchResult {
  /** 0, or that of the first failure: the rank's own, or 128 + signal number. */
  readonly exitCode: number;
  /** What the ranks were. */
  readonly form: RankForm;
  /** The first failure; absent after success, and when the job was ended from outside. */
  readonly failure?: RankFailure;
  /** Ranks that could not be ended: blocked in the kernel or, for threads, in a native call. */
  readonly leftRunning: readonly number[];
  /** From the first rank's start to the end of the last. */
  readonly seconds: number;
}

/** How long after a failed job's last rank its output may still take: in all it stays below 2 s. */
const LAST_OUTPUT_MS = 100;

type StartRank = (rank: number, listener: RankListener) => RankHandle;

/** A job that runs. */
export class Job {
  /** Settles when all ranks have ended and their output was passed on. Never rejects. */
  readonly result: Promise<LaunchResult>;

  readonly #plan: JobPlan;
  readonly #policy: EndPolicy;
  readonly #output: JobOutput;
  readonly #segment: JobSegment;
  readonly #handles = new Map<number, RankHandle>();
  readonly #startedMs = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #allEnded: () => void = () => {};

  /**
   * Starts a job.
   *
   * @throws {LaunchRefusedError} If it cannot be run; then nothing was started.
   */
  constructor(options: LaunchOptions) {
    this.#plan = makePlan(options);
    this.#policy = new EndPolicy(options.ranks);
    const [segment, start] = this.#prepareForm();
    this.#segment = segment;
    this.#output = new JobOutput({
      ranks: options.ranks,
      prefix: options.prefix ?? true,
      onLine: options.onLine,
      onMessage: options.onMessage,
      onBroken: () => this.interrupt("SIGPIPE"),
    });
    const ended = new Promise<void>((resolve) => {
      this.#allEnded = resolve;
    });
    for (const note of this.#plan.notes) this.#output.say(note);
    for (let rank = 0; rank < options.ranks; rank++) this.#start(rank, start);
    this.result = this.#finish(ended);
  }

  /**
   * Ends the job: passes a signal on to all ranks, after 1 s follows SIGTERM, at 1.6 s SIGKILL.
   * The second call kills them at once.
   */
  interrupt(signal: NodeJS.Signals): void {
    // All ranks have ended and only a slow terminal is waited for.
    if (this.#policy.finished) this.#output.close();
    this.#perform(this.#policy.interrupt(signal, performance.now()));
  }

  /** The segment, and how a rank on it is started. */
  #prepareForm(): [JobSegment, StartRank] {
    const { native, segmentBytes, options } = this.#plan;
    try {
      if (native !== undefined) {
        const segment = new FileSegment(native, segmentBytes, options.ranks);
        return [
          segment,
          (rank, listener) => {
            return startProcessRank(setupOf(this.#plan, rank), segment.fd, listener);
          },
        ];
      }
      const segment = new MemorySegment(segmentBytes, options.ranks);
      return [
        segment,
        (rank, listener) => {
          return startThreadRank(setupOf(this.#plan, rank), segment.memory, listener);
        },
      ];
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new LaunchRefusedError(`${reason}; give each rank less shared memory`, { cause });
    }
  }

  #start(rank: number, start: StartRank): void {
    const handle = start(rank, {
      ended: (end) => this.#rankEnded(rank, end),
      print: (stream, text) => this.#output.print(rank, stream, text),
    });
    this.#handles.set(rank, handle);
    for (const [stream, readable] of handle.output) this.#output.attach(rank, stream, readable);
    const { onSpawn } = this.#plan.options;
    // Later, so that a listener that throws cannot leave the ranks without a job that ends them.
    if (handle.pid !== undefined && onSpawn) process.nextTick(onSpawn, rank, handle.pid);
  }

  #rankEnded(rank: number, end: RankEnd): void {
    // It was given up, and its segment is closed.
    if (this.#policy.finished) return;
    // First of all, so that peers that wait for this rank notice.
    this.#segment.writeStatus(rank, statusOf(end));
    this.#perform(this.#policy.rankEnded(rank, end, performance.now()));
    this.#output.rankEnded(rank);
  }

  #perform(actions: readonly EndAction[]): void {
    for (const action of actions) {
      if (action.kind === "say") this.#output.say(action.text);
      else for (const rank of action.ranks) this.#handles.get(rank)?.signal(action.signal);
    }
    clearTimeout(this.#timer);
    if (this.#policy.finished) this.#allEnded();
    const { deadlineMs } = this.#policy;
    if (deadlineMs === undefined) return;
    const delayMs = Math.max(0, Math.ceil(deadlineMs - performance.now()));
    this.#timer = setTimeout(() => this.#perform(this.#policy.advance(performance.now())), delayMs);
  }

  async #finish(ended: Promise<void>): Promise<LaunchResult> {
    await ended;
    const { exitCode, failure } = this.#policy.outcome;
    const limit = exitCode === 0 ? undefined : LAST_OUTPUT_MS;
    await settledWithin(this.#output.drained(), limit);
    this.#output.close();
    this.#segment.close();
    return {
      exitCode,
      form: this.#plan.form,
      ...(failure === undefined ? {} : { failure }),
      leftRunning: this.#policy.live,
      seconds: (performance.now() - this.#startedMs) / 1000,
    };
  }
}

function statusOf(end: RankEnd): RankStatus {
  switch (end.kind) {
    case "exited":
      return { kind: "exited", code: end.code };
    case "signalled":
      return { kind: "signalled", signal: constants.signals[end.signal] };
    case "threw":
    case "notStarted":
      return { kind: "exited", code: 1 };
  }
}

async function settledWithin(promise: Promise<void>, limitMs: number | undefined): Promise<void> {
  if (limitMs === undefined) return promise;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([promise, limit]);
  clearTimeout(timer);
}
