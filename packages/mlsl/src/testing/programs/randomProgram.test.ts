import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED } from "../seed.js";
import { playProgram } from "./randomProgram.js";

/** How many programs a test run plays: some 15 seconds' worth. */
const PROGRAMS = 600;

test("DDP-4 random legal programs with all checks on raise no alarm, and are right", async (t) => {
  const programs = Number(process.env.RANDOM_PROGRAMS ?? PROGRAMS);
  assert.ok(programs >= 1, "RANDOM_PROGRAMS must be a number of programs");
  const firstSeed = Date.now() % 1000000;
  t.diagnostic(`seeds from ${firstSeed} on`);
  for (let seed = firstSeed; seed < firstSeed + programs; seed++) {
    try {
      await playProgram(seed);
    } catch (error) {
      throw new Error(`The program of seed ${seed} failed`, { cause: error });
    }
  }
});

/** Programs with progress workers: some 5 seconds' worth. */
const WORKER_PROGRAMS = 60;

test("random legal programs are right with one and with two progress workers per rank", async () => {
  for (let seed = SEED; seed < SEED + WORKER_PROGRAMS; seed++) {
    try {
      await playProgram(seed, 1 + (seed % 2));
    } catch (error) {
      throw new Error(`The program of seed ${seed} failed`, { cause: error });
    }
  }
});
