/** Simulated training as a picture: what the first layer waits, and how long an iteration is. */

import type { Charts } from "../bench/plot.js";
import { ORDER_MODES, type OrderMode } from "../engine/order.js";
import type { TrainingLine } from "../simulation/training/experiment.js";

/** Of a picture for a page; height of a group of bars, and of what is above and below all. */
const WIDTH = 1100;
const GROUP_HEIGHT = 56;
const FRAME_HEIGHT = 110;

const COLORS: Readonly<Record<OrderMode, string>> = {
  fifo: "#b04a3a",
  lifo: "#c9a13b",
  priority: "#2f6db5",
};

/** Panels beside each other: where they are, in pixels, and what they show. */
const PANELS = [
  {
    left: 205,
    name: "the first layer waits, ms",
    // A logarithm has no zero for bars to begin at: what is less than this is as good as nothing.
    scale: { type: "log", min: 0.1, startValue: 0.1 },
    digits: 1,
    value: (line: TrainingLine) => line.exposed_first_ms,
  },
  {
    left: 680,
    name: "iteration / lower bound",
    scale: { type: "value" },
    digits: 2,
    value: (line: TrainingLine) => line.step_to_bound,
  },
] as const;
const PANEL_WIDTH = 350;
/** Widths of texts are guesses without a screen. */
const LEGEND_GAP = 30;
/** Room above the panels, for the names of the orders. */
const TOP = 50;

/** A case: what differs between groups of bars. */
function caseOf({ net, nodes, batch }: TrainingLine): string {
  return `${net}, ${nodes} nodes, ${batch} each`;
}

function toSeries(lines: readonly TrainingLine[], cases: readonly string[]): object[] {
  return PANELS.flatMap(({ value, digits }, panel) =>
    ORDER_MODES.toReversed().map((mode) => ({
      ...{ name: mode, type: "bar", xAxisIndex: panel, yAxisIndex: panel },
      itemStyle: { color: COLORS[mode] },
      label: {
        ...{ show: true, position: "right", fontSize: 10 },
        formatter: ({ value: shown }: { value: number }) => shown.toFixed(digits),
      },
      data: cases.map((one) => {
        const line = lines.find((other) => caseOf(other) === one && other.mode === mode);
        return line === undefined ? null : value(line);
      }),
    })),
  );
}

/**
 * Draws results.
 *
 * @returns an SVG document
 */
export function drawTraining(charts: Charts, lines: readonly TrainingLine[]): string {
  // Axes begin at the bottom.
  const cases = [...new Set(lines.map(caseOf))].toReversed();
  const panelHeight = cases.length * GROUP_HEIGHT;
  const height = panelHeight + FRAME_HEIGHT;
  const chart = charts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
  try {
    chart.setOption({
      animation: false,
      backgroundColor: "#ffffff",
      legend: { top: 10, itemGap: LEGEND_GAP, data: ORDER_MODES.toReversed() },
      grid: PANELS.map(({ left }) => ({ left, top: TOP, width: PANEL_WIDTH, height: panelHeight })),
      xAxis: PANELS.map(({ name, scale }, gridIndex) => {
        return { gridIndex, name, nameLocation: "middle", nameGap: 28, ...scale };
      }),
      yAxis: PANELS.map((_, gridIndex) => {
        return { gridIndex, type: "category", data: cases, axisLabel: { show: gridIndex === 0 } };
      }),
      series: toSeries(lines, cases),
    });
    return chart.renderToSVGString();
  } finally {
    // Its timers would keep the process alive.
    chart.dispose();
  }
}
