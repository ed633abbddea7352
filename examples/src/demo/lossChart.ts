/** The loss curves of trainings as a picture: over the steps, and over the time they took. */

import { type EChartsCoreOption, init } from "echarts";
import { lossesOf } from "./comparison.js";
import type { TrainingRun } from "./runTraining.js";

const WIDTH = 1000;
const HEIGHT = 420;

/** Few ranks as a broad light line, many as a narrow dark one: both are seen where they agree. */
const STYLES = [
  { color: "#f0a53a", width: 4 },
  { color: "#1f4e8c", width: 1.5 },
] as const;

/**
 * Steps that the curves over time are averages of. Two noisy curves that do not agree would hide
 * each other.
 */
const SMOOTHED_STEPS = 16;

/** The two panels: where they are, in pixels, and what goes to the right in them. */
const PANELS = [
  { left: 60, axis: "step", points: overSteps },
  { left: 560, axis: `seconds (losses are means of ${SMOOTHED_STEPS} steps)`, points: overTime },
] as const;

/**
 * Draws two trainings: at the left they should be one curve, at the right the one with more ranks
 * should be the shorter.
 *
 * @returns an SVG document
 */
export function drawLosses(runs: readonly [few: TrainingRun, many: TrainingRun]): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  try {
    chart.setOption(toOption(runs));
    return chart.renderToSVGString();
  } finally {
    // Its timers would keep the process alive.
    chart.dispose();
  }
}

function toOption(runs: readonly TrainingRun[]): EChartsCoreOption {
  const axisTitle = { nameLocation: "middle", nameGap: 28 };
  return {
    animation: false,
    backgroundColor: "#ffffff",
    title: { text: `Loss of ${runs[0]?.start.net} on MNIST digits`, left: "center", top: 8 },
    legend: { top: 40, itemGap: 40, data: runs.map(nameOf) },
    grid: PANELS.map(({ left }) => ({ left, width: 400, top: 80, bottom: 50 })),
    xAxis: PANELS.map(({ axis }, gridIndex) => {
      return { gridIndex, type: "value", name: axis, ...axisTitle };
    }),
    // A logarithm shows the end of training, where the loss is a hundredth of that at the start.
    yAxis: PANELS.map((_, gridIndex) => ({ gridIndex, type: "log", name: "loss", ...axisTitle })),
    series: PANELS.flatMap(({ points }, index) =>
      runs.map((run, k) => {
        const { color, width } = STYLES[k] as (typeof STYLES)[number];
        return {
          name: nameOf(run),
          type: "line",
          xAxisIndex: index,
          yAxisIndex: index,
          symbol: "none",
          lineStyle: { color, width },
          itemStyle: { color },
          data: points(run),
        };
      }),
    ),
  };
}

function nameOf({ start }: TrainingRun): string {
  return start.ranks === 1 ? "1 rank" : `${start.ranks} ranks`;
}

type Point = [x: number, loss: number];

function overSteps(run: TrainingRun): Point[] {
  return lossesOf(run).map((loss, step) => [step + 1, loss]);
}

/** The steps of an epoch are taken to last equally long. */
function overTime(run: TrainingRun): Point[] {
  let passedMs = 0;
  const ends = run.epochs.flatMap(({ ms, losses }) => {
    const beginMs = passedMs;
    passedMs += ms;
    return losses.map((_, step) => (beginMs + (ms * (step + 1)) / losses.length) / 1000);
  });
  const losses = lossesOf(run);
  return ends.map((seconds, step) => {
    const last = losses.slice(Math.max(0, step + 1 - SMOOTHED_STEPS), step + 1);
    return [seconds, last.reduce((sum, loss) => sum + loss, 0) / last.length];
  });
}
