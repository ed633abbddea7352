import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fixture } from "./fixtures/support.js";
import { checkMemory, makePlan, setupOf } from "./jobPlan.js";
import { type LaunchOptions, LaunchRefusedError } from "./launchOptions.js";

const folder = mkdtempSync(join(tmpdir(), "mlsl-plan-"));
after(() => rmSync(folder, { recursive: true }));
const MIB = 1024 * 1024;
const script: string = fixture("report");

function refused(options: Partial<LaunchOptions>, message: RegExp): void {
  assert.throws(
    () => makePlan({ script, ranks: 2, ...options }),
    (error) => {
      assert.ok(error instanceof LaunchRefusedError);
      assert.equal(error.code, "MLSL_LAUNCH_REFUSED");
      assert.match(error.message, message);
      return true;
    },
  );
}

function withVariable<T>(name: string, value: string, act: () => T): T {
  const before = process.env[name];
  process.env[name] = value;
  try {
    return act();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

test("numbers of ranks that cannot be are refused", () => {
  for (const ranks of [0, -1, 1.5, 65, Number.NaN]) {
    refused({ ranks }, /expected a whole number from 1 to 64/);
  }
});

test("scripts that cannot be run are refused", () => {
  refused({ script: join(folder, "absent.js") }, /no such file/);
  refused({ script: folder }, /not a file/);
});

test("TypeScript is refused with the version in use, unless Node runs it", () => {
  const typed = join(folder, "train.ts");
  writeFileSync(typed, "");
  const plan = () => makePlan({ script: typed, ranks: 1 });
  withVariable("NODE_OPTIONS", "", () => {
    if (Reflect.get(process.features, "typescript")) assert.equal(plan().scriptPath, typed);
    else refused({ script: typed }, new RegExp(`${process.version} does not run.*22.18`));
  });
  const ownLoader = makePlan({ script: typed, ranks: 1, nodeArgs: ["--import", "loader"] });
  assert.equal(ownLoader.scriptPath, typed);
  withVariable("NODE_OPTIONS", "--import loader", () => assert.equal(plan().scriptPath, typed));
});

test("sizes that cannot be are refused", () => {
  for (const arenaBytes of [0, -1, 65535, 70000.5, Number.NaN]) {
    refused({ arenaBytes }, /at least 65536/);
  }
  refused({ arenaBytes: 4096 * MIB }, /4294967296 is the most/);
});

test("a lack of memory is told with what is needed, what there is, and what to do", () => {
  checkMemory(100, 2, { machine: 100, cgroup: undefined });
  assert.throws(() => checkMemory(129 * MIB, 2, { machine: 200 * MIB, cgroup: 100 * MIB }), {
    name: "LaunchRefusedError",
    message:
      "Cannot reserve 129 MiB of shared memory for 2 ranks: 200 MiB on this machine, " +
      "100 MiB in this control group can be had; choose fewer ranks or a smaller --segment-mib",
  });
});

test("without koffi ranks are threads, and the user is told what that means", () => {
  withVariable("MLSL_NO_KOFFI", "1", () => {
    const plan = makePlan({ script, ranks: 1 });
    assert.equal(plan.form, "threads");
    assert.match(plan.notes.join(), /threads of one process.*npm install koffi/);
    refused({ form: "processes" }, /needs Linux and the package koffi/);
  });
  assert.deepEqual(makePlan({ script, ranks: 1, form: "threads" }).notes, []);
});

test("a plan holds 64 MiB per rank unless told otherwise", () => {
  assert.equal(makePlan({ script, ranks: 2 }).segmentBytes, (2 * 64 + 1) * MIB);
  assert.equal(makePlan({ script, ranks: 2, arenaBytes: MIB }).segmentBytes, 3 * MIB);
});

test("X-7: more ranks than cores are not pinned and compute with one thread each", () => {
  const plan = makePlan({ script, ranks: 64, arenaBytes: 65536 });
  const { env } = setupOf(plan, 63);
  if (plan.cores[63] === undefined) assert.equal(env.MLSL_CORE, undefined);
  assert.equal(env.MLSL_COMPUTE_THREADS, String(plan.computeThreads));
  assert.equal(env.MLSL_RANK, "63");
});

test("progress workers are told to ranks, with their cores and memory on top of the arena", () => {
  const arenaBytes = MIB;
  const without = makePlan({ script, ranks: 2, arenaBytes, progressWorkers: 0 });
  assert.equal(setupOf(without, 0).env.MLSL_PROGRESS_WORKERS, undefined);
  const options = { script, ranks: 2, arenaBytes, progressWorkers: 2, progressCores: [5, 6, 7] };
  const plan = makePlan(options);
  assert.ok(plan.segmentBytes - without.segmentBytes >= 2 * 2 * 262144);
  const variables = [0, 1].map((rank) => setupOf(plan, rank).env);
  assert.deepEqual(
    variables.map((env) => [env.MLSL_PROGRESS_WORKERS, env.MLSL_PROGRESS_CORES]),
    [
      ["2", "5,6"],
      ["2", "7"],
    ],
  );
  refused({ progressWorkers: 17 }, /expected a whole number from 0 to 16, or "auto"/);
  refused({ progressWorkers: 1.5 }, /expected a whole number from 0 to 16, or "auto"/);
});
