// The figures as a picture: time over size, one panel for each operation and rank count.
import { init } from "echarts";
import { IDEAL, OURS } from "./peers.mjs";
import { distinct } from "./results.mjs";
import { PLACES, sizeText } from "./table.mjs";

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

/** Microseconds at an axis, with the unit that makes them short. */
export function timeText(us) {
  if (us >= 1e6) return `${us / 1e6} s`;
  return us >= 1e3 ? `${us / 1e3} ms` : `${us} us`;
}

/** The points of one peer, rising by size. */
function pointsOf(lines) {
  return lines.map(({ bytes, median_us }) => [bytes, median_us]).sort(([a], [b]) => a - b);
}

/** The group that most figures are in: to draw several as one line would compare unlike things. */
function mainGroup(lines) {
  const count = (group) => lines.filter((line) => line.group === group).length;
  return distinct(lines.map(({ group }) => group)).reduce((a, b) => (count(b) > count(a) ? b : a));
}

function placeOf(index) {
  return {
    left: (index % COLUMNS) * PANEL.width + MARGIN.left,
    top: HEAD_HEIGHT + Math.floor(index / COLUMNS) * PANEL.height + MARGIN.top,
    width: PANEL.width - MARGIN.left - MARGIN.right,
    height: PANEL.height - MARGIN.top - MARGIN.bottom,
  };
}

/** The panels: operations with sizes (a barrier has none), each with the lines of one group. */
export function panelsOf(best) {
  const nameOf = ({ op, ranks }) => `${op}, ${ranks} ranks`;
  const sized = best.filter(({ bytes }) => bytes > 0);
  return distinct(sized.map(nameOf)).map((name) => {
    const all = sized.filter((line) => nameOf(line) === name);
    const group = mainGroup(all);
    const lines = all.filter((line) => line.group === group);
    const curves = distinct(lines.map(({ peer }) => peer)).map((peer) => ({
      peer,
      points: pointsOf(lines.filter((line) => line.peer === peer)),
    }));
    const sizes = distinct(lines.map(({ bytes }) => bytes)).sort((a, b) => a - b);
    return { name: name + PLACES[group], sizes, curves };
  });
}

function toOption(panels, peers) {
  return {
    animation: false,
    backgroundColor: "#ffffff",
    legend: { top: 15, itemGap: 25, data: peers },
    title: panels.map(({ name }, index) => {
      const { left, top, width } = placeOf(index);
      const textStyle = { fontSize: 14 };
      return { text: name, left: left + width / 2, top: top - 30, textAlign: "center", textStyle };
    }),
    grid: panels.map((_, index) => placeOf(index)),
    // Sizes rise by a factor from one to the next: as names they stand as on a logarithmic axis.
    xAxis: panels.map(({ sizes }, gridIndex) => ({
      ...{ gridIndex, type: "category", data: sizes.map(sizeText) },
      axisLabel: { hideOverlap: true },
      boundaryGap: false,
    })),
    yAxis: panels.map((_, gridIndex) => ({
      ...{ gridIndex, type: "log" },
      axisLabel: { formatter: timeText },
    })),
    series: panels.flatMap(({ curves }, index) =>
      curves.map(({ peer, points }) => {
        const style = styleOf(peer, peers);
        const data = points.map(([bytes, us]) => [sizeText(bytes), us]);
        return {
          ...{ name: peer, type: "line", xAxisIndex: index, yAxisIndex: index, data },
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
