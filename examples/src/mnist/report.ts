/** Where a training tells what happens: to people or to a program. */

import { formatEvent, type TrainingEvent } from "./events.js";

/** Takes what happens. */
export type Report = (event: TrainingEvent) => void;

/** Steps are told this often: faster than eyes follow, slow enough to cost nothing. */
const STEP_INTERVAL_MS = 100;

/** @param forProgram events, of steps some; else lines for people, of steps none */
export function createReporter(forProgram: boolean, write: (line: string) => void = print): Report {
  let nextStepMs = 0;
  return (event) => {
    if (event.kind === "step") {
      if (!forProgram || performance.now() < nextStepMs) return;
      nextStepMs = performance.now() + STEP_INTERVAL_MS;
    }
    const line = forProgram ? formatEvent(event) : describe(event);
    if (line !== undefined) write(line);
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function describe(event: TrainingEvent): string | undefined {
  switch (event.kind) {
    case "start":
      return (
        `${event.net}, ${event.ranks} ${event.ranks === 1 ? "rank" : "ranks"}: ` +
        `${event.images} digits to learn from, ${event.batchSize} a step`
      );
    case "step":
      return undefined;
    case "epoch": {
      const loss = event.losses.reduce((sum, value) => sum + value, 0) / event.losses.length;
      return `epoch ${event.epoch + 1}: loss ${loss.toFixed(4)}, ${(event.ms / 1000).toFixed(2)} s`;
    }
    case "done":
      return (
        `${(event.testAccuracy * 100).toFixed(2)} % of the test digits are read correctly; ` +
        `the ranks' weights are ${event.bitEqual ? "" : "not "}bit-equal`
      );
  }
}
