/** The comparison in words and in JSON. */

import type { Comparison, RunFigures } from "./comparison.js";

/** The line of JSON; its keys are what scripts rely on. */
export function toJson({ runs, speedUp, maxLossDifference }: Comparison, seconds: number): string {
  return JSON.stringify({
    ranks: runs[1].ranks,
    imagesPerSecond: runs.map(({ imagesPerSecond }) => round(imagesPerSecond, 1)),
    speedUp: round(speedUp, 3),
    testAccuracy: runs.map(({ testAccuracy }) => round(testAccuracy, 5)),
    bitEqual: runs.every(({ bitEqual }) => bitEqual),
    maxLossDifference,
    exposedMsPerStep: round(runs[1].exposedMsPerStep, 3),
    seconds: round(seconds, 1),
  });
}

/** The table for people. */
export function toTable(comparison: Comparison): string {
  const { runs, speedUp, maxLossDifference, sameWeights } = comparison;
  const row = (name: string, show: (run: RunFigures) => string) =>
    `  ${name.padEnd(34)}${runs.map((run) => show(run).padStart(16)).join("")}`;
  const [few, many] = runs;
  return [
    row("", ({ ranks }) => (ranks === 1 ? "1 rank" : `${ranks} ranks`)),
    row("images/s", ({ imagesPerSecond }) => imagesPerSecond.toFixed(0)),
    row("time per epoch", ({ secondsPerEpoch }) => `${secondsPerEpoch.toFixed(2)} s`),
    row("speed-up", (run) => (run === few ? "" : `${speedUp.toFixed(2)} x`)),
    row("fastest step", ({ fastestStepMs }) => `${fastestStepMs.toFixed(1)} ms`),
    row("speed-up of the fastest step", (run) => {
      return run === few ? "" : `${(few.fastestStepMs / many.fastestStepMs).toFixed(2)} x`;
    }),
    row("test accuracy", ({ testAccuracy }) => `${(testAccuracy * 100).toFixed(2)} %`),
    row("waiting for communication", ({ exposedMsPerStep }) => {
      return `${exposedMsPerStep.toFixed(2)} ms/step`;
    }),
    row("all ranks have the same weights", ({ bitEqual }) => (bitEqual ? "to the bit" : "NO")),
    "",
    `  Largest difference between the losses of a step: ${maxLossDifference.toExponential(1)}. ` +
      `The final weights of ${few.ranks} and ${many.ranks} ranks ` +
      (sameWeights ? "are the same to the bit." : "differ."),
    "  Both took turns, epoch by epoch. Times are those of the median epoch, the speed-up is the",
    "  median of the epochs' speed-ups; the first epoch warms up and does not count. If the fastest",
    "  steps gain more than the epochs do, something else was using the cores meanwhile.",
  ].join("\n");
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
