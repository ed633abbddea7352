/**
 * How a job ends, as a state machine without clocks, processes or output: ends of ranks, signals
 * and the time go in; things to say and signals to send come out.
 *
 *     running --first failure--> ending: 1.0 s to end by themselves, SIGTERM, SIGKILL, give up
 *     running --signal---------> ending: the signal itself, then the same steps
 *     any ----all ranks ended--> finished
 */

import { constants } from "node:os";

/** A rank ended by itself. */
export interface RankExited {
  /** Tells the forms of an end apart. */
  readonly kind: "exited";
  /** Its exit code. */
  readonly code: number;
}

/** A rank was ended. */
export interface RankSignalled {
  /** Tells the forms of an end apart. */
  readonly kind: "signalled";
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals;
}

/** A rank ended by an error: nobody caught what a thread threw, or the system did not start it. */
export interface RankBroken {
  /** Tells the forms of an end apart. */
  readonly kind: "threw" | "notStarted";
  /** What was thrown. */
  readonly message: string;
}

/** How a rank ended. */
export type RankEnd = RankExited | RankSignalled | RankBroken;

/** What the launcher is to do. */
export type EndAction =
  | { readonly kind: "say"; readonly text: string }
  | {
      readonly kind: "signal";
      readonly signal: NodeJS.Signals;
      readonly ranks: readonly number[];
    };

/** The failure that ended a job: the first one, as the others follow from it. */
export interface RankFailure {
  /** Which rank it was. */
  readonly rank: number;
  /** How it ended. */
  readonly end: RankEnd;
  /** For people: `rank 1 was killed by SIGKILL`. */
  readonly message: string;
}

type Cause =
  | { readonly kind: "failure"; readonly failure: RankFailure }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

type Phase =
  | { readonly kind: "running" }
  | { readonly kind: "ending"; readonly cause: Cause; readonly sinceMs: number; step: number }
  | { readonly kind: "finished"; readonly cause: Cause | undefined };

/**
 * Steps after the first failure or signal. Peers need some time to notice and to print their own
 * error (1 s), and to close files after SIGTERM (0.6 s). Everything is over within 2 s; what
 * does not even end when killed hangs in the kernel or in native code, and is left there.
 */
const STEPS: readonly { afterMs: number; signal: NodeJS.Signals | undefined }[] = [
  { afterMs: 1000, signal: "SIGTERM" },
  { afterMs: 1600, signal: "SIGKILL" },
  { afterMs: 1750, signal: undefined },
];

/**
 * Less than this after the first, the same signal is the same event: a Ctrl-C under `npm run`
 * arrives from the terminal and once more from npm. Nobody presses a key twice that fast on
 * purpose.
 */
const REPEAT_MS = 200;

/** More ranks than this are counted instead of named, to keep a message to one line. */
const MAX_NAMED = 8;

/** Shells report a death by signal as this plus its number. */
const SIGNAL_EXIT_BASE = 128;

/** The exit code that stands for the end of a rank. */
export function exitCodeOf(end: RankEnd): number {
  switch (end.kind) {
    case "exited":
      return end.code;
    case "signalled":
      return SIGNAL_EXIT_BASE + constants.signals[end.signal];
    case "threw":
    case "notStarted":
      return 1;
  }
}

/** Words for the end of a rank. */
export function describeEnd(rank: number, end: RankEnd): string {
  switch (end.kind) {
    case "exited":
      return `rank ${rank} exited with code ${end.code}`;
    case "signalled":
      return `rank ${rank} was killed by ${end.signal}`;
    case "threw":
      return `rank ${rank} threw: ${end.message}`;
    case "notStarted":
      return `rank ${rank} could not be started: ${end.message}`;
  }
}

/** Decides how one job ends. Times are milliseconds of any clock that never goes back. */
export class EndPolicy {
  readonly #live: Set<number>;
  /** Ranks that ended with code 0 while all was well. */
  readonly #done: number[] = [];
  #phase: Phase = { kind: "running" };

  constructor(ranks: number) {
    this.#live = new Set(Array.from({ length: ranks }, (_, rank) => rank));
  }

  /** Takes note that a rank has ended. */
  rankEnded(rank: number, end: RankEnd, nowMs: number): EndAction[] {
    this.#live.delete(rank);
    const actions: EndAction[] = [];
    if (this.#phase.kind === "running" && exitCodeOf(end) !== 0) {
      const message = describeEnd(rank, end);
      const cause = { kind: "failure", failure: { rank, end, message } } as const;
      this.#phase = { kind: "ending", cause, sinceMs: nowMs, step: 0 };
      actions.push({ kind: "say", text: message + this.#sayOthers() });
    } else if (this.#phase.kind === "running") this.#done.push(rank);
    if (this.#live.size === 0) this.#finish();
    return actions;
  }

  /**
   * Takes note that the job shall end; the second time it is ended at once.
   *
   * @param signal what to pass on to the ranks; SIGPIPE stands for a closed output
   */
  interrupt(signal: NodeJS.Signals, nowMs: number): EndAction[] {
    if (this.#phase.kind === "finished") return [];
    if (this.#phase.kind === "ending") {
      const { cause, sinceMs: firstMs } = this.#phase;
      const same = cause.kind === "signal" && cause.signal === signal;
      if (same && nowMs - firstMs < REPEAT_MS) return [];
      // On to the last step before giving up, as if its time had come.
      const kill = STEPS.findIndex((step) => step.signal === "SIGKILL");
      const sinceMs = Math.min(this.#phase.sinceMs, nowMs - STEPS[kill]!.afterMs);
      this.#phase = { ...this.#phase, sinceMs, step: kill };
      return this.advance(nowMs);
    }
    const cause = { kind: "signal", signal } as const;
    this.#phase = { kind: "ending", cause, sinceMs: nowMs, step: 0 };
    const ranks = [...this.#live];
    // A closed output is the quiet end of a pipeline, and Node programs ignore SIGPIPE.
    if (signal === "SIGPIPE") return [{ kind: "signal", signal: "SIGTERM", ranks }];
    return [
      { kind: "say", text: sayInterrupt(signal) },
      { kind: "signal", signal, ranks },
    ];
  }

  /** Does what is due at a time. */
  advance(nowMs: number): EndAction[] {
    const actions: EndAction[] = [];
    while (this.#phase.kind === "ending") {
      const step = STEPS[this.#phase.step]!;
      if (nowMs - this.#phase.sinceMs < step.afterMs) break;
      this.#phase.step++;
      const ranks = [...this.#live];
      if (step.signal === undefined) {
        actions.push({ kind: "say", text: `${nameRanks(ranks)} did not end even when killed` });
        this.#finish();
      } else {
        if (step.signal === "SIGKILL") {
          actions.push({ kind: "say", text: `killing ${nameRanks(ranks)}` });
        }
        actions.push({ kind: "signal", signal: step.signal, ranks });
      }
    }
    return actions;
  }

  /** When `advance` has something to do next; undefined while nothing is due. */
  get deadlineMs(): number | undefined {
    if (this.#phase.kind !== "ending") return undefined;
    return this.#phase.sinceMs + STEPS[this.#phase.step]!.afterMs;
  }

  /** Whether the job is over: every rank has ended, or could not even be killed. */
  get finished(): boolean {
    return this.#phase.kind === "finished";
  }

  /** Ranks that have not ended, ascending. */
  get live(): readonly number[] {
    return [...this.#live];
  }

  /** What the job comes to so far. */
  get outcome(): { readonly exitCode: number; readonly failure: RankFailure | undefined } {
    const cause = this.#phase.kind === "running" ? undefined : this.#phase.cause;
    if (cause === undefined) return { exitCode: 0, failure: undefined };
    if (cause.kind === "failure") {
      return { exitCode: exitCodeOf(cause.failure.end), failure: cause.failure };
    }
    return { exitCode: SIGNAL_EXIT_BASE + constants.signals[cause.signal], failure: undefined };
  }

  /** A rank that ended early, if in peace, is often why another one failed. */
  #sayOthers(): string {
    const before = this.#done.length;
    const done = before <= MAX_NAMED ? nameRanks(this.#done) : `${before} ranks`;
    const early = before > 0 ? ` after ${done} had exited with code 0` : "";
    return early + (this.#live.size > 0 ? "; ending the other ranks" : "");
  }

  #finish(): void {
    const cause = this.#phase.kind === "ending" ? this.#phase.cause : undefined;
    this.#phase = { kind: "finished", cause };
  }
}

function sayInterrupt(signal: NodeJS.Signals): string {
  const again = signal === "SIGINT" ? "; press Ctrl-C again to kill them at once" : "";
  return `${signal} was received and passed on to the ranks${again}`;
}

function nameRanks(ranks: readonly number[]): string {
  return ranks.length === 1 ? `rank ${ranks[0]}` : `ranks ${ranks.join(", ")}`;
}
