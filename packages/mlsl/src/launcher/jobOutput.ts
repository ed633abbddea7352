/** Brings what the ranks print to where it belongs, line by line. */

import type { Readable } from "node:stream";
import { LineSplitter } from "./lineSplitter.js";
import { Sink } from "./sink.js";

/** Name of an output stream of a rank. */
export type StreamName = "stdout" | "stderr";

/** A line that a rank printed, without its newline. */
export interface RankLine {
  /** Who printed it. */
  readonly rank: number;
  /** Where it was printed. */
  readonly stream: StreamName;
  /** The line, without its end. */
  readonly text: string;
}

/** How the output of a job is shown. */
export interface JobOutputOptions {
  readonly ranks: number;
  /** Whether lines on the terminal start with the rank. */
  readonly prefix: boolean;
  /** Takes the lines, instead of the terminal. */
  readonly onLine: ((line: RankLine) => void) | undefined;
  /** Takes the launcher's own messages, instead of stderr. */
  readonly onMessage: ((text: string) => void) | undefined;
  /** Called when nobody reads stdout or stderr any more. */
  readonly onBroken: () => void;
}

/**
 * A rank has ended, and so should its output. What a process that left the rank's group still
 * holds open is not waited for: after this time without a byte the stream is given up.
 */
const IDLE_AFTER_END_MS = 250;

interface Pump {
  readonly rank: number;
  readonly readable: Readable;
  readonly sink: Sink | undefined;
  readonly closed: Promise<void>;
  idle: NodeJS.Timeout | undefined;
  moved: boolean;
}

/** The output of all ranks of a job. */
export class JobOutput {
  readonly #options: JobOutputOptions;
  readonly #sinks: Readonly<Record<StreamName, Sink>> | undefined;
  readonly #pumps: Pump[] = [];

  constructor(options: JobOutputOptions) {
    this.#options = options;
    if (options.onLine !== undefined) return;
    this.#sinks = {
      stdout: new Sink(process.stdout, options.onBroken),
      stderr: new Sink(process.stderr, options.onBroken),
    };
  }

  /** Starts to read a stream of a rank. */
  attach(rank: number, stream: StreamName, readable: Readable): void {
    const sink = this.#sinks?.[stream];
    const closed = new Promise<void>((resolve) => readable.once("close", resolve));
    const pump: Pump = { rank, readable, sink, closed, idle: undefined, moved: false };
    this.#pumps.push(pump);
    const splitter = this.#isRaw ? undefined : new LineSplitter();
    readable.on("data", (chunk: Buffer) => {
      pump.moved = true;
      if (splitter === undefined) sink?.write(chunk, readable);
      else this.#emit(pump, stream, splitter.push(chunk));
    });
    readable.once("close", () => {
      clearTimeout(pump.idle);
      if (splitter !== undefined) this.#emit(pump, stream, splitter.flush());
      sink?.forget(readable);
    });
    // A pipe that breaks while it is read has nothing more to say; `close` follows.
    readable.on("error", () => {});
  }

  /** Prints text of the launcher under a rank's prefix, as if the rank had printed it. */
  print(rank: number, stream: StreamName, text: string): void {
    const lines = text.split("\n").map((line) => Buffer.from(line));
    this.#emit({ rank, sink: this.#sinks?.[stream] }, stream, lines);
  }

  /** Prints a message of the launcher itself. */
  say(text: string): void {
    if (this.#options.onMessage !== undefined) this.#options.onMessage(text);
    else this.#sinks?.stderr.write(`mlsl: ${text}\n`);
  }

  /** Takes note that a rank has ended and prints nothing new. */
  rankEnded(rank: number): void {
    for (const pump of this.#pumps) {
      if (pump.rank === rank && !pump.readable.closed) this.#watch(pump);
    }
  }

  /** Settles when all that the ranks printed has been passed on. */
  async drained(): Promise<void> {
    await Promise.all(this.#pumps.map((pump) => pump.closed));
  }

  /** Reads no more, and lets go of the terminal. */
  close(): void {
    for (const pump of this.#pumps) pump.readable.destroy();
    for (const sink of Object.values(this.#sinks ?? {})) sink.close();
  }

  get #isRaw(): boolean {
    return !this.#options.prefix && this.#options.onLine === undefined;
  }

  #emit(
    pump: { rank: number; sink: Sink | undefined; readable?: Readable },
    stream: StreamName,
    lines: Buffer[],
  ): void {
    if (lines.length === 0) return;
    const { onLine, prefix, ranks } = this.#options;
    if (onLine !== undefined) {
      for (const line of lines) onLine({ rank: pump.rank, stream, text: line.toString("utf8") });
      return;
    }
    const start = Buffer.from(prefix ? linePrefix(pump.rank, ranks) : "");
    // One write for all lines of a chunk: no other rank can come between, and it is cheap.
    pump.sink?.write(
      Buffer.concat(lines.flatMap((line) => [start, line, LINE_END])),
      pump.readable,
    );
  }

  #watch(pump: Pump): void {
    pump.moved = false;
    pump.idle = setTimeout(() => {
      // A slow terminal holds the rest back; that is no reason to lose it.
      if (pump.moved || pump.sink?.holds(pump.readable)) this.#watch(pump);
      else pump.readable.destroy();
    }, IDLE_AFTER_END_MS);
  }
}

const LINE_END = Buffer.from("\n");

/** What stands before each line of a rank: `[3] `, as wide as the largest rank needs. */
export function linePrefix(rank: number, ranks: number): string {
  return `[${String(rank).padStart(String(ranks - 1).length)}] `;
}
