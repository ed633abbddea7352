/** Whole jobs: real ranks, started by the launcher, in both forms. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  type LaunchOptions,
  type LaunchResult,
  launch,
  type RankLine,
} from "../launcher/launch.js";
import { Random } from "./random.js";

const FORMS = ["processes", "threads"] as const;

function fixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}.js`, import.meta.url));
}

/** Processes whose environment holds a mark, which only this job's ranks have. */
function processesWith(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
      } catch {
        return false; // ended between the listing and the reading
      }
    });
}

interface Outcome extends LaunchResult {
  readonly lines: readonly RankLine[];
  readonly messages: readonly string[];
}

async function job(script: string, options: Omit<LaunchOptions, "script">): Promise<Outcome> {
  const lines: RankLine[] = [];
  const messages: string[] = [];
  const result = await launch({
    script: fixture(script),
    onLine: (line) => void lines.push(line),
    onMessage: (text) => void messages.push(text),
    ...options,
  });
  return { ...result, lines, messages };
}

function texts({ lines }: Outcome): string[] {
  return lines.map(({ rank, stream, text }) => `${rank} ${stream} ${text}`).sort();
}

for (const form of FORMS) {
  for (const ranks of [1, 2, 3, 5]) {
    test(`every operation is right between ${ranks} ${form}, however they wait`, async () => {
      const outcome = await job("collectivesMain", { ranks, form, args: [] });
      assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
      const expected = Array.from({ length: ranks }, (_, r) => {
        return `${r} stdout ${form} rank ${r} of ${ranks}: all is right`;
      });
      assert.deepEqual(texts(outcome), expected);
    });
  }

  test(`HVD-4 GLO-1 a rank that leaves early is named by those who wait, ${form}`, async () => {
    for (const code of [0, 3]) {
      const args = ["3", "1", String(code)];
      const outcome = await job("stepsMain", { ranks: 3, form, args });
      assert.notEqual(outcome.exitCode, 0);
      if (code !== 0) assert.equal(outcome.exitCode, code);
      const errors = texts(outcome).filter((text) => /RankLostError\]?:/.test(text));
      assert.ok(errors.length >= 1, texts(outcome).join("\n"));
      for (const text of errors) {
        assert.match(text, /^[02] stderr .*rank 1 has exited with code \d without taking part/);
      }
    }
  });

  test(`the plain kernels serve a whole job, ${form}`, async () => {
    const env = { MLSL_KERNELS: "plain" };
    const outcome = await job("collectivesMain", { ranks: 2, form, env });
    assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
  });
}

/** The numbers that ranks print, by what stands before them. */
function numbersOf({ lines }: Outcome, name: string): number[] {
  const found = lines.map(({ text }) => new RegExp(`^${name} (-?[\\d.]+)$`).exec(text)?.[1]);
  return found.filter((text) => text !== undefined).map(Number);
}

test("X-7 ranks that wait use next to no time of the cores that they share", async () => {
  const outcome = await job("parkedMain", { ranks: 4, form: "processes" });
  assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
  for (const way of ["blocked", "promised"]) {
    const percent = numbersOf(outcome, way);
    assert.equal(percent.length, 3, texts(outcome).join("\n"));
    for (const value of percent) assert.ok(value < 5, `${way}: ${value} % of a core`);
  }
});

test("HVD-10 collectives, messages and groups by the thousands take no more memory", async () => {
  const outcome = await job("constantMain", { ranks: 2, form: "processes" });
  assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
  const grown = numbersOf(outcome, "grown MiB");
  assert.equal(grown.length, 2, texts(outcome).join("\n"));
  for (const mib of grown) assert.ok(mib < 5, `grown by ${mib} MiB`);
  assert.deepEqual(numbersOf(outcome, "more descriptors"), [0, 0]);
});

for (const form of FORMS) {
  test(`GLO-1 a group is made, a rank leaves: all that others ask for names it, ${form}`, async () => {
    const outcome = await job("leaverMain", { ranks: 3, form });
    const said = texts(outcome).filter((text) => text.includes("stdout"));
    const expected = [1, 2].flatMap((r) =>
      ["allreduce", "recv", "send"].map((what) => `${r} stdout ${what}: RankLostError of rank 0`),
    );
    assert.deepEqual(said, expected.sort(), texts(outcome).join("\n"));
  });

  test(`split in worker threads; colour −1 gets none: CCL #214, ${form}`, async () => {
    const outcome = await job("splitMain", { ranks: 3, form });
    assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
    assert.deepEqual(texts(outcome), [
      "0 stdout rank 1 of 2",
      "1 stdout no group",
      "2 stdout rank 0 of 2",
    ]);
  });
}

test("HVD-4 a rank killed at any moment ends the job in 2 s, is named, and leaves nothing", async (t) => {
  const seed = Date.now() % 100000;
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);
  for (let i = 0; i < 6; i++) {
    const victim = random.below(3);
    const mark = `MLSL_TEST_MARK=${process.pid}-${i}`;
    const pids: number[] = [];
    let killedMs = 0;
    const outcome = await job("stepsMain", {
      ranks: 3,
      form: "processes",
      args: ["100000000", "0", "0"],
      env: { MLSL_TEST_MARK: `${process.pid}-${i}` },
      onSpawn: (rank, pid) => {
        pids[rank] = pid;
        if (pids.filter(Boolean).length < 3) return;
        setTimeout(() => {
          killedMs = performance.now();
          process.kill(pids[victim]!, "SIGKILL");
        }, random.below(900));
      },
    });
    const tookMs = performance.now() - killedMs;
    assert.ok(tookMs < 2000, `the job ended ${tookMs} ms after the kill`);
    assert.equal(outcome.exitCode, 137);
    assert.equal(outcome.failure?.rank, victim);
    assert.match(outcome.messages.join("\n"), new RegExp(`rank ${victim} was killed by SIGKILL`));
    assert.deepEqual(processesWith(mark), []);
  }
});
