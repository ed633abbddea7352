/**
 * What each rank of `mlsl bench` runs. Its one argument is a JSON object of {@link BenchTask}; rank 0
 * prints a line of JSON for each point.
 */

import { init } from "../bootstrap/init.js";
import { benchLine } from "./benchLine.js";
import { coreDistanceNs, openPingPong } from "./coreDistance.js";
import { measure } from "./measure.js";
import { type BenchTask, benchPoints, isInPlace, largestBuffers } from "./points.js";
import { makeWorkload } from "./workload.js";

const task = JSON.parse(process.argv[2] ?? "{}") as BenchTask;
const { world, form } = await init();
const peer = `mlsl-${form}${task.inside ? "" : "-outside"}`;
const pingPong = openPingPong(world);
const distanceNs = (): number => coreDistanceNs(world, pingPong);
const block = task.inside ? world.allocate("uint8", largestBuffers(task, world.ranks)) : undefined;
const options = { ...task, ...(block !== undefined && { block }) };
for (const point of benchPoints(task, world.ranks)) {
  const workload = makeWorkload(world, point, options);
  const timing = measure(world, workload, { budgetMs: task.budgetMs, distanceNs });
  workload.free();
  if (timing === undefined) continue;
  const frame = {
    peer,
    form: task.persistent ? "persistent" : "sync",
    ranks: world.ranks,
    in_place: isInPlace(point.op, task.inPlace),
  };
  console.log(JSON.stringify(benchLine(point, timing, frame)));
}
