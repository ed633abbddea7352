/**
 * What each rank of `mlsl bench` runs. Its one argument is a JSON object of {@link BenchTask};
 * rank 0 prints a line of JSON for each point.
 */

import { setTimeout } from "node:timers/promises";
import { init } from "../bootstrap/init.js";
import { benchLine } from "./benchLine.js";
import { coreDistanceNs, openPingPong } from "./coreDistance.js";
import { clockCostMs, measure, rehearse } from "./measure.js";
import {
  type BenchPoint,
  type BenchTask,
  benchSeries,
  isInPlace,
  largestBuffers,
} from "./points.js";
import { makeWorkload } from "./workload.js";

/** Beyond it all sizes take the same paths, and calls take long. */
const MAX_REHEARSED_BYTES = 4194304;

/**
 * Ranks hold their cores while they work and wait; the pause leaves them to the compiler, whose
 * threads share them. A budget of less is for tests, which do not look at the figures.
 */
const MAX_PAUSE_MS = 100;

const task = JSON.parse(process.argv[2] ?? "{}") as BenchTask;
const { world, form } = await init();
const peer = `mlsl-${form}${task.inside ? "" : "-outside"}`;
const pingPong = openPingPong(world);
const distanceNs = (): number => coreDistanceNs(world, pingPong);
const clockMs = clockCostMs(() => performance.now());
const block = task.inside ? world.allocate("uint8", largestBuffers(task, world.ranks)) : undefined;
const options = { ...task, ...(block !== undefined && { block }) };

async function rehearseAll(points: readonly BenchPoint[]): Promise<void> {
  for (const point of points) {
    if (point.bytes > MAX_REHEARSED_BYTES) continue;
    const workload = makeWorkload(world, point, options);
    rehearse(world, workload, task);
    workload.free();
  }
  await setTimeout(Math.min(MAX_PAUSE_MS, task.budgetMs));
}

function measureOne(point: BenchPoint): void {
  const workload = makeWorkload(world, point, options);
  const timing = measure(world, workload, { budgetMs: task.budgetMs, distanceNs, clockMs });
  workload.free();
  if (timing === undefined) return;
  const frame = {
    peer,
    form: task.persistent ? "persistent" : "sync",
    ranks: world.ranks,
    in_place: isInPlace(point.op, task.inPlace),
  };
  console.log(JSON.stringify(benchLine(point, timing, frame)));
}

for (const points of benchSeries(task, world.ranks)) {
  await rehearseAll(points);
  for (const point of points) measureOne(point);
}
