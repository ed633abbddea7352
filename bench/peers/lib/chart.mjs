// The figures as a picture: time over size, one panel for each operation and rank count.
import { init } from "echarts";
import { IDEAL, OURS } from "./peers.mjs";
import { distinct } from "./results.mjs";
import { sizeText, threeDigits } from "./table.mjs";

const COLUMNS = 3;
const PANEL = { width: 400, height: 320 };
/** Room inside a panel for its title and the numbers at its axes. */
const MARGIN = { left: 60, right: 15, top: 45, bottom: 45 };
const HEAD_HEIGHT = 60;

/** Ours is the strong line, the ideal a dashed one, and the others stay in the background. */
const OURS_STYLE = { color: "#d7263d", width: 3.5, type: "solid" };
const IDEAL_STYLE = { color: "#888888", width: 1.5, type: "dashed" };
const RIVAL_COLORS = ["#1f4e8c", "#3a8dde", "#7fb7be", "#5b8c5a", "#9dc183", "#c2a83e", "#e8a87c"];

function styleOf(peer, peers) {
  if (peer === OURS) return OURS_STYLE;
  if (peer === IDEAL) return IDEAL_STYLE;
  return { color: RIVAL_COLORS[peers.indexOf(peer) % RIVAL_COLORS.length], width: 1.5 };
}

/** The best median of all groups for each size, rising by size. */
function pointsOf(lines) {
  const bySize = new Map();
  for (const { bytes, median_us } of lines) {
    bySize.set(bytes, Math.min(median_us, bySize.get(bytes) ?? Number.POSITIVE_INFINITY));
  }
  return [...bySize].sort(([a], [b]) => a - b);
}

function placeOf(index) {
  return {
    left: (index % COLUMNS) * PANEL.width + MARGIN.left,
    top: HEAD_HEIGHT + Math.floor(index / COLUMNS) * PANEL.height + MARGIN.top,
    width: PANEL.width - MARGIN.left - MARGIN.right,
    height: PANEL.height - MARGIN.top - MARGIN.bottom,
  };
}

/** The panels: operations with sizes (a barrier has none), each with its lines. */
export function panelsOf(best) {
  const nameOf = ({ op, ranks }) => `${op}, ${ranks} ranks`;
  const sized = best.filter(({ bytes }) => bytes > 0);
  return distinct(sized.map(nameOf)).map((name) => {
    const lines = sized.filter((line) => nameOf(line) === name);
    const curves = distinct(lines.map(({ peer }) => peer)).map((peer) => ({
      peer,
      points: pointsOf(lines.filter((line) => line.peer === peer)),
    }));
    return { name, curves };
  });
}

function toOption(panels, peers) {
  const axisTitle = { nameLocation: "middle" };
  return {
    animation: false,
    backgroundColor: "#ffffff",
    legend: { top: 15, data: peers },
    title: panels.map(({ name }, index) => {
      const { left, top, width } = placeOf(index);
      const textStyle = { fontSize: 14 };
      return { text: name, left: left + width / 2, top: top - 30, textAlign: "center", textStyle };
    }),
    grid: panels.map((_, index) => placeOf(index)),
    xAxis: panels.map((_, gridIndex) => ({
      ...{ gridIndex, type: "log", logBase: 4, name: "bytes", nameGap: 26, ...axisTitle },
      axisLabel: { formatter: sizeText, hideOverlap: true },
    })),
    yAxis: panels.map((_, gridIndex) => ({
      ...{ gridIndex, type: "log", name: "us", nameGap: 42, ...axisTitle },
      axisLabel: { formatter: (us) => (us >= 1 ? String(us) : threeDigits(us)) },
    })),
    series: panels.flatMap(({ curves }, index) =>
      curves.map(({ peer, points }) => {
        const style = styleOf(peer, peers);
        return {
          ...{ name: peer, type: "line", xAxisIndex: index, yAxisIndex: index, data: points },
          ...{ symbolSize: 4, lineStyle: style, itemStyle: { color: style.color } },
          z: peer === OURS ? 3 : 2,
        };
      }),
    ),
  };
}

/**
 * Draws what was measured.
 *
 * @param best see results.bestLines
 * @param peerOrder the order of the legend
 * @returns an SVG document
 */
export function drawChart(best, peerOrder) {
  const panels = panelsOf(best);
  const peers = peerOrder.filter((name) => best.some(({ peer }) => peer === name));
  const width = PANEL.width * Math.min(COLUMNS, Math.max(1, panels.length));
  const height = HEAD_HEIGHT + PANEL.height * Math.ceil(panels.length / COLUMNS);
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption(toOption(panels, peers));
    return chart.renderToSVGString();
  } finally {
    // Its timers would keep the process alive.
    chart.dispose();
  }
}
