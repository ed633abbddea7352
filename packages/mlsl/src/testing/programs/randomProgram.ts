/**
 * A random legal program, played by the ranks of a local job in random order: groups are made of
 * groups, operations of all kinds and forms started in many of them at once, and every element of
 * every buffer is held against what follows from the plan.
 */

import type { LocalGroup } from "../../collectives/groups/localGroup.js";
import { grouped, type Request } from "../../collectives/requests/requests.js";
import { dataTypeInfo } from "../../memory/dataTypes.js";
import { Random } from "../../simulation/random.js";
import { KERNELS, localRanks } from "../localJob.js";
import { anyPlan } from "./anyPlan.js";
import { type Plan, planText } from "./plan.js";
import { RunningPart } from "./runPart.js";

/** Arena of a rank: small, so that buffers pass in several chunks. */
const ARENA_BYTES = 1048576;

/** What one rank of one operation does. */
interface Job {
  readonly plan: Plan;
  readonly part: RunningPart;
}

/** Groups, each as its ranks in their order. */
type Members = readonly LocalGroup[];

/** Which rank of the world a rank of a group is. */
type WorldRanks = Map<LocalGroup, number>;

async function makeGroups(parent: Members, ranks: WorldRanks, random: Random): Promise<Members[]> {
  const colors = parent.map(() => random.below(3) - 1);
  const keys = parent.map(() => random.below(4));
  const made = await Promise.all(parent.map((g, r) => g.split(colors[r]!, keys[r]!)));
  made.forEach((group, r) => {
    if (group !== undefined) ranks.set(group, ranks.get(parent[r]!)!);
  });
  const groups = made.filter((group) => group !== undefined);
  return [...new Set(groups.map(({ name }) => name))].map((name) =>
    groups.filter((group) => group.name === name).sort((a, b) => a.rank - b.rank),
  );
}

/** Bytes from which on a buffer is large: arenas hold few of those. */
const LARGE_BYTES = 30000;

function isLarge({ parts }: Plan): boolean {
  return parts.some((part) =>
    [part?.send, part?.recv].some(
      (values) => values && values.count * dataTypeInfo(values.type).byteLength > LARGE_BYTES,
    ),
  );
}

/** The operations of a phase, as each rank of the world does them in its order. */
function planJobs(groups: readonly Members[], ranks: WorldRanks, random: Random): Job[][] {
  const jobs: Job[][] = groups[0]!.map(() => []);
  const count = 1 + random.below(10);
  let large = 0;
  for (let i = 0; i < count; i++) {
    const group = random.pick(groups);
    const plan = anyPlan(group.length, random);
    if (isLarge(plan) && large++ > 0) continue;
    plan.parts.forEach((part, rank) => {
      if (part === undefined) return;
      const own = group[rank]!;
      jobs[ranks.get(own)!]!.push({ plan, part: new RunningPart(own, part, random) });
    });
  }
  return jobs;
}

/** Starts some of a rank's next operations, as one or each for itself. */
function startNext(jobs: Job[], random: Random): Request[] {
  const next = jobs.splice(0, 1 + random.below(3));
  const start = ({ part }: Job) => part.start(random.below(4) === 0 ? "Persistent" : "Start");
  if (random.below(3) > 0) return next.map(start);
  return [grouped(() => void next.forEach(start))];
}

/** Lets ranks start and test in random order until everything has completed. */
async function play(jobs: readonly Job[][], random: Random): Promise<void> {
  const queues = jobs.map((own) => [...own]);
  const open: Request[] = [];
  const waits = random.below(4) === 0;
  const promises: Promise<void>[] = [];
  for (let turn = 0; open.length > 0 || queues.some(({ length }) => length > 0); turn++) {
    if (turn > 200000) throw new Error(`${open.length} requests open after ${turn} turns`);
    const queue = random.pick(queues);
    if (queue.length > 0 && random.below(3) === 0) {
      const started = startNext(queue, random);
      if (waits) promises.push(...started.map((request) => request.wait()));
      else open.push(...started);
    } else if (open.length > 0) {
      const i = random.below(open.length);
      if (open[i]!.test()) open.splice(i, 1);
    }
  }
  await Promise.all(promises);
}

async function playPhase(world: Members, random: Random): Promise<void> {
  const groups: Members[] = [world];
  const ranks: WorldRanks = new Map(world.map((group, rank) => [group, rank]));
  for (let i = random.below(3); i > 0; i--) {
    groups.push(...(await makeGroups(random.pick(groups), ranks, random)));
  }
  const jobs = planJobs(groups, ranks, random);
  await play(jobs, random);
  for (const { part, plan } of jobs.flat()) part.finish(() => planText(plan));
  await Promise.all(groups.slice(1).flatMap((group) => group.map((member) => member.close())));
}

/**
 * Plays the program of a seed.
 *
 * @param workers of each rank
 * @throws If anything is not as the plan says.
 */
export async function playProgram(seed: number, workers = 0): Promise<void> {
  const random = new Random(seed);
  const ranks = localRanks({
    ranks: 2 + random.below(7),
    kernels: random.pick(KERNELS),
    arenaBytes: ARENA_BYTES,
    timeoutMs: 20000,
    workers,
  });
  const world = ranks.map((rank) => rank.world);
  for (let phase = 1 + random.below(3); phase > 0; phase--) await playPhase(world, random);
}
