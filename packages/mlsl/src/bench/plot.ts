/** Results as a picture: latency and bandwidth over the size. */

import { LaunchRefusedError } from "../launcher/launchOptions.js";
import type { BenchLine } from "./benchLine.js";
import { operationText, sizeText } from "./table.js";

/** Width of a picture for a page, of a panel in it, and its height. */
const WIDTH = 1100;
const PANEL_WIDTH = 450;
const PANEL_HEIGHT = 340;
/** Room below a panel, for its axis and what it is called. */
const AXIS_HEIGHT = 70;

/** Widths of texts are guesses without a screen, hence the gap; lines stand as far apart. */
const LEGEND_GAP = 30;
const LEGEND_LINE = 14 + LEGEND_GAP;
/** Width of a letter, and of what stands before a name. */
const LETTER_WIDTH = 7;
const SYMBOL_WIDTH = 35 + LEGEND_GAP;

/** As many curves can be told apart in one panel; more are drawn by operation. */
const MAX_CURVES = 8;

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
 * Loads the chart library. It is no dependency: nobody should have to install it, in one version,
 * to communicate.
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

type Attribute = (line: BenchLine) => string;

/** Attributes in which lines may differ, as a legend names them. */
const ATTRIBUTES: readonly Attribute[] = [
  operationText,
  ({ type }) => type,
  ({ algorithm }) => algorithm,
  ({ ranks }) => (ranks === 1 ? "1 rank" : `${ranks} ranks`),
];

function groupBy(lines: readonly BenchLine[], key: Attribute): Map<string, BenchLine[]> {
  const groups = new Map<string, BenchLine[]>();
  for (const line of lines) {
    const group = groups.get(key(line)) ?? [];
    group.push(line);
    groups.set(key(line), group);
  }
  return groups;
}

/** Panels beside each other, with their curves by name. */
export interface PlotRow {
  readonly title: string;
  readonly curves: ReadonlyMap<string, readonly BenchLine[]>;
}

/**
 * The curves: lines that differ in their size only, named by what they differ in. Barriers have
 * none.
 *
 * @returns one row, or one for each operation where there are many curves
 */
export function rowsOf(lines: readonly BenchLine[]): PlotRow[] {
  const sized = lines.filter(({ bytes }) => bytes > 0);
  const differ = ATTRIBUTES.filter((text) => new Set(sized.map(text)).size > 1);
  const nameBy = (attributes: readonly Attribute[]): Attribute => {
    const named = attributes.length > 0 ? attributes : [operationText];
    return (line) => named.map((text) => text(line)).join(", ");
  };
  const curves = groupBy(sized, nameBy(differ));
  if (curves.size <= MAX_CURVES) return [{ title: "", curves }];
  const name = nameBy(differ.filter((text) => text !== operationText));
  return [...groupBy(sized, operationText)].map(([title, of]) => {
    return { title, curves: groupBy(of, name) };
  });
}

/** Where the panels of a row are, in pixels, and what they show. */
const PANELS = [
  { left: 75, name: "median, us", value: (line: BenchLine) => line.median_us },
  { left: 625, name: "bus bandwidth, GB/s", value: (line: BenchLine) => line.busbw_GBps },
] as const;

/** A row with its place, in pixels from the top. */
interface PlacedRow extends PlotRow {
  readonly top: number;
  readonly panelTop: number;
}

/** Rows from top to bottom. */
function place(rows: readonly PlotRow[]): { rows: PlacedRow[]; height: number } {
  let height = 0;
  const placed = rows.map((row) => {
    const widths = [...row.curves.keys()].map((name) => SYMBOL_WIDTH + LETTER_WIDTH * name.length);
    const legendLines = Math.ceil(widths.reduce((sum, width) => sum + width, 0) / WIDTH);
    const top = height + (row.title === "" ? 10 : 40);
    const panelTop = top + legendLines * LEGEND_LINE;
    height = panelTop + PANEL_HEIGHT + AXIS_HEIGHT;
    return { ...row, top, panelTop };
  });
  return { rows: placed, height };
}

/** Colours all round the circle, so that as many as there are names can be told apart. */
function colorOf(index: number, count: number): string {
  return `hsl(${Math.round((210 + (360 * index) / count) % 360)}, 65%, 42%)`;
}

function toSeries(rows: readonly PlacedRow[]): object[] {
  const names = [...new Set(rows.flatMap(({ curves }) => [...curves.keys()]))];
  return rows.flatMap(({ curves }, r) =>
    PANELS.flatMap(({ value }, p) =>
      [...curves].map(([name, curve]) => {
        const color = colorOf(names.indexOf(name), names.length);
        const axis = r * PANELS.length + p;
        return {
          ...{ name, type: "line", xAxisIndex: axis, yAxisIndex: axis },
          ...{ itemStyle: { color }, lineStyle: { color } },
          // A logarithm has no place for what was rounded to nothing.
          data: curve.filter((line) => value(line) > 0).map((line) => [line.bytes, value(line)]),
        };
      }),
    ),
  );
}

function toOption(rows: readonly PlacedRow[]): object {
  const panels = rows.flatMap((row) => PANELS.map((panel) => ({ ...row, ...panel })));
  const title = { nameLocation: "middle", nameGap: 45 };
  const axisLabel = { formatter: sizeText, hideOverlap: true };
  return {
    animation: false,
    backgroundColor: "#ffffff",
    title: rows.map(({ title: text, top }) => ({ text, left: "center", top: top - 30 })),
    legend: rows.map(({ top, curves }) => {
      return { top, itemGap: LEGEND_GAP, data: [...curves.keys()] };
    }),
    grid: panels.map(({ left, panelTop }) => {
      return { left, top: panelTop, width: PANEL_WIDTH, height: PANEL_HEIGHT };
    }),
    xAxis: panels.map((_, gridIndex) => {
      return { gridIndex, type: "log", logBase: 4, name: "size", axisLabel, ...title, nameGap: 28 };
    }),
    yAxis: panels.map(({ name }, gridIndex) => ({ gridIndex, type: "log", name, ...title })),
    series: toSeries(rows),
  };
}

/**
 * Draws results.
 *
 * @returns an SVG document
 */
export function drawBench(charts: Charts, lines: readonly BenchLine[]): string {
  const { rows, height } = place(rowsOf(lines));
  const options = { renderer: "svg", ssr: true, width: WIDTH, height };
  const chart = charts.init(null, null, options);
  try {
    chart.setOption(toOption(rows));
    return chart.renderToSVGString();
  } finally {
    // Its timers would keep the process alive.
    chart.dispose();
  }
}
