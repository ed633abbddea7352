/** Progress of a training: a bar on a terminal, a line for each epoch elsewhere. */

import type { StartEvent, TrainingEvent } from "../mnist/events.js";

/** Where it is written. */
export interface ProgressOutput {
  /** Whether a line can be written over. */
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Characters of the bar. */
const BAR_WIDTH = 30;

/** Back to the start of the line, and empty it: ECMA-48 EL. */
const CLEAR_LINE = "\r\x1b[2K";

/** Shows one training. */
export class Progress {
  readonly #output: ProgressOutput;
  #start: StartEvent | undefined;
  #bar = "";

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  /** Takes what happens. */
  show(event: TrainingEvent): void {
    switch (event.kind) {
      case "start":
        this.#start = event;
        this.print(
          `${event.net} on ${countOf(event.ranks, "rank")}: ${countOf(event.epochs, "epoch")} of ` +
            `${event.images} digits, ${event.batchSize} a step`,
        );
        break;
      case "step":
        this.#draw(event.epoch, event.step, `  loss ${event.loss.toFixed(4)}`);
        break;
      case "epoch": {
        const { images, ranks } = this.#start as StartEvent;
        const loss = event.losses.reduce((sum, value) => sum + value, 0) / event.losses.length;
        const rate = (images / event.ms) * 1000;
        this.print(
          `  ${countOf(ranks, "rank").padEnd(8)}epoch ${event.epoch + 1}  loss ${loss.toFixed(4)}  ` +
            `${(event.ms / 1000).toFixed(2)} s  ${rate.toFixed(0)} images/s`,
        );
        // The terminal is another training's now.
        this.#redraw("");
        break;
      }
      case "done":
        this.#redraw("");
        break;
    }
  }

  /** Prints a line above the bar. */
  print(line: string): void {
    const bar = this.#bar;
    this.#redraw("");
    this.#output.write(`${line}\n`);
    this.#redraw(bar);
  }

  #draw(epoch: number, step: number, text: string): void {
    const { epochs, stepsPerEpoch } = this.#start as StartEvent;
    const share = (epoch * stepsPerEpoch + step) / (epochs * stepsPerEpoch);
    const filled = Math.floor(share * BAR_WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    const percent = Math.floor(share * 100).toString();
    this.#redraw(`  ${bar} ${percent.padStart(3)} %  epoch ${epoch + 1}/${epochs}${text}`);
  }

  #redraw(bar: string): void {
    if (this.#output.isTTY !== true || (bar === "" && this.#bar === "")) return;
    this.#output.write(CLEAR_LINE + bar);
    this.#bar = bar;
  }
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
