/** Results as a picture: latency and bandwidth over the size. */

import { LaunchRefusedError } from "../launcher/launchOptions.js";
import type { BenchLine } from "./benchLine.js";
import { operationText, sizeText } from "./table.js";

/** A picture for a page: two panels side by side under a legend. */
const WIDTH = 1100;
const HEIGHT = 520;
/** Room of a line of the legend, and about how many names one holds. */
const LEGEND_LINE = 24;
const NAMES_IN_LINE = 5;

/** What is used of the chart library. */
interface Chart {
  setOption(option: object): void;
  renderToSVGString(): string;
  dispose(): void;
}
/** The chart library, which is loaded only when a picture is wanted. */
export interface Charts {
  init(dom: null, theme: null, options: object): Chart;
}

/**
 * Loads the chart library. It is no dependency: nobody should have to install it, in one version, to
 * communicate.
 *
 * @throws {LaunchRefusedError} If it is not installed; says how to get it.
 */
export async function loadCharts(
  load: () => Promise<unknown> = () => import("echarts"),
): Promise<Charts> {
  try {
    return (await load()) as Charts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new LaunchRefusedError(
      "Cannot draw a plot: it needs echarts, which is not installed; npm install echarts@6",
      { cause: error },
    );
  }
}

/** Attributes in which lines may differ, as a legend names them. */
const ATTRIBUTES: readonly ((line: BenchLine) => string)[] = [
  operationText,
  ({ type }) => type,
  ({ algorithm }) => algorithm,
  ({ ranks }) => (ranks === 1 ? "1 rank" : `${ranks} ranks`),
];

/**
 * The curves: lines that differ in their size only. Barriers have none.
 *
 * @returns curves by name, which says in what they differ
 */
export function curvesOf(lines: readonly BenchLine[]): Map<string, BenchLine[]> {
  const sized = lines.filter(({ bytes }) => bytes > 0);
  const differ = ATTRIBUTES.filter((text) => new Set(sized.map(text)).size > 1);
  const named = differ.length > 0 ? differ : [operationText];
  const curves = new Map<string, BenchLine[]>();
  for (const line of sized) {
    const name = named.map((text) => text(line)).join(", ");
    const curve = curves.get(name) ?? [];
    curve.push(line);
    curves.set(name, curve);
  }
  return curves;
}

/** Where the panels are, in pixels, and what they show. */
const PANELS = [
  { left: 70, name: "median, us", value: (line: BenchLine) => line.median_us },
  { left: 620, name: "bus bandwidth, GB/s", value: (line: BenchLine) => line.busbw_GBps },
] as const;

function toOption(lines: readonly BenchLine[]): object {
  const curves = [...curvesOf(lines)];
  const legendHeight = Math.ceil(curves.length / NAMES_IN_LINE) * LEGEND_LINE;
  const title = { nameLocation: "middle", nameGap: 45 };
  return {
    animation: false,
    backgroundColor: "#ffffff",
    // Widths of texts are guesses without a screen, hence the gap.
    legend: { top: 8, itemGap: 30, data: curves.map(([name]) => name) },
    grid: PANELS.map(({ left }) => ({ left, width: 450, top: 30 + legendHeight, bottom: 60 })),
    xAxis: PANELS.map((_, gridIndex) => {
      const axisLabel = { formatter: sizeText, hideOverlap: true };
      return { gridIndex, type: "log", logBase: 4, name: "size", axisLabel, ...title, nameGap: 28 };
    }),
    yAxis: PANELS.map(({ name }, gridIndex) => ({ gridIndex, type: "log", name, ...title })),
    series: PANELS.flatMap(({ value }, index) =>
      curves.map(([name, curve], k) => ({
        ...{ name, type: "line", xAxisIndex: index, yAxisIndex: index, colorBy: "series" },
        itemStyle: { color: colorOf(k, curves.length) },
        lineStyle: { color: colorOf(k, curves.length) },
        // A logarithm has no place for what was rounded to nothing.
        data: curve.filter((line) => value(line) > 0).map((line) => [line.bytes, value(line)]),
      })),
    ),
  };
}

/** Colours all round the circle, so that as many as there are curves can be told apart. */
function colorOf(index: number, count: number): string {
  return `hsl(${Math.round((210 + (360 * index) / count) % 360)}, 65%, 42%)`;
}

/**
 * Draws results.
 *
 * @returns an SVG document
 */
export function drawBench(charts: Charts, lines: readonly BenchLine[]): string {
  const options = { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT };
  const chart = charts.init(null, null, options);
  try {
    chart.setOption(toOption(lines));
    return chart.renderToSVGString();
  } finally {
    // Its timers would keep the process alive.
    chart.dispose();
  }
}
