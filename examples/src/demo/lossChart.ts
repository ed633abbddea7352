/** The loss curves of trainings as a picture: over the steps, and over the time they took. */

import { type EChartsCoreOption, init } from "echarts";
import { lossesOf } from "./comparison.js";
import type { TrainingRun } from "./runTraining.js";

const WIDTH = 1000;
const HEIGHT = 420;

/** Few ranks as a broad light line, many as a narrow dark one: both are seen where they agree. */
const STYLES = [
  { color: "#f0a53a", width: 5 },
  { color: "#1f4e8c", width: 1.5 },
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
  const axes = ["step", "seconds"];
  return {
    animation: false,
    backgroundColor: "#ffffff",
    title: { text: `Loss of ${runs[0]?.start.net} on MNIST digits`, left: "center", top: 8 },
    legend: { top: 40, data: runs.map(nameOf) },
    grid: [
      { left: 60, width: 410, top: 80, bottom: 50 },
      { left: 550, width: 410, top: 80, bottom: 50 },
    ],
    xAxis: axes.map((name, gridIndex) => ({
      gridIndex,
      name,
      type: "value",
      nameLocation: "middle",
      nameGap: 28,
    })),
    // A logarithm shows the end of training, where the loss is a hundredth of that at the start.
    yAxis: axes.map((_, gridIndex) => ({ gridIndex, type: "log", name: "loss" })),
    series: axes.flatMap((axis, index) =>
      runs.map((run, k) => {
        const { color, width } = STYLES[k] as (typeof STYLES)[number];
        return {
          name: nameOf(run),
          type: "line",
          xAxisIndex: index,
          yAxisIndex: index,
          showSymbol: false,
          lineStyle: { color, width },
          itemStyle: { color },
          data: axis === "step" ? overSteps(run) : overTime(run),
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

/** Steps of an epoch are taken to last equally long. */
function overTime({ epochs }: TrainingRun): Point[] {
  let passedMs = 0;
  return epochs.flatMap(({ ms, losses }) => {
    const beginMs = passedMs;
    passedMs += ms;
    return losses.map((loss, step): Point => {
      return [(beginMs + (ms * (step + 1)) / losses.length) / 1000, loss];
    });
  });
}
