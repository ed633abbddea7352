/** What the launcher knows of a running rank, whatever its form. */

import type { Readable, Writable } from "node:stream";
import type { RankEnd } from "./endPolicy.js";
import type { StreamName } from "./jobOutput.js";

/** Everything that a rank needs to start. */
export interface RankSetup {
  readonly rank: number;
  /** Absolute path. */
  readonly scriptPath: string;
  readonly args: readonly string[];
  readonly nodeArgs: readonly string[];
  /** What it reads from its standard input, if not what its form has by default. */
  readonly input: Readable | undefined;
  /** All its variables, including those in RANK_VARIABLES. */
  readonly env: NodeJS.ProcessEnv;
}

/** Whom a rank tells what happens to it. */
export interface RankListener {
  /** Called once. */
  ended(end: RankEnd): void;
  /** The launcher has something to print in the rank's name, such as an error it did not catch. */
  print(stream: StreamName, text: string): void;
}

/** A rank that was started. */
export interface RankHandle {
  /** Process id; a thread's is that of this process. Absent if it could not be started. */
  readonly pid: number | undefined;
  readonly output: readonly (readonly [stream: StreamName, readable: Readable])[];
  /** Sends a signal to the rank and to what it started; a thread is ended, whatever the signal. */
  signal(signal: NodeJS.Signals): void;
}

/** The handle of a rank that the system refused to make; its listener is told in a moment. */
export function notStarted(error: unknown, listener: RankListener): RankHandle {
  const message = error instanceof Error ? error.message : String(error);
  queueMicrotask(() => listener.ended({ kind: "notStarted", message }));
  return { pid: undefined, output: [], signal: () => {} };
}

/** Passes input on to a rank, until either ends. */
export function feed(input: Readable | undefined, stdin: Writable | null): void {
  if (input === undefined || stdin === null) return;
  // A rank may end, or close its input, before it has read all: that is not the launcher's error.
  stdin.on("error", () => input.unpipe(stdin));
  input.pipe(stdin);
}
