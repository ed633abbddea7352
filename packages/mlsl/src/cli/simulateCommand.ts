/** `mlsl simulate`: random programs on a simulated network that a seed makes fail in all ways. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { type ProgramResult, playProgram } from "../simulation/programs/playProgram.js";
import { planProgram } from "../simulation/programs/programPlan.js";
import type { TraceEvent } from "../simulation/programs/programProbe.js";
import { programLines, resultLine, traceLine } from "../simulation/programs/programText.js";
import { addSimulateTrainingCommand } from "./simulateTrainingCommand.js";

/** Seeds from the first to the last, both included. */
export interface SeedRange {
  readonly first: number;
  readonly last: number;
}

interface SimulateOptions {
  readonly seed: number;
  readonly seeds?: SeedRange;
  readonly trace?: true;
  readonly json?: true;
}

/** Largest seed: the program of seed n draws from generators of n and its neighbours. */
const MAX_SEED = 2 ** 31;

function seedOf(text: string): number | undefined {
  return /^\d+$/.test(text) && Number(text) <= MAX_SEED ? Number(text) : undefined;
}

/** @throws {InvalidArgumentError} If the text is no seed. */
export function parseSeed(text: string): number {
  const seed = seedOf(text);
  if (seed !== undefined) return seed;
  throw new InvalidArgumentError(`Expected a whole number from 0 to ${MAX_SEED}.`);
}

/** @throws {InvalidArgumentError} If the text is not like 1..1000. */
export function parseSeeds(text: string): SeedRange {
  const [first, last, more] = text.split("..").map(seedOf);
  if (first === undefined || last === undefined || more !== undefined || first > last) {
    throw new InvalidArgumentError("Expected two seeds, the smaller first, like 1..1000.");
  }
  return { first, last };
}

/** Adds the command to the program. */
export function addSimulateCommand(program: Command): void {
  const simulate = program
    .command("simulate")
    .description("play random programs on a simulated, faulty network, and check every result")
    .addOption(new Option("--seed <number>", "the program to play").argParser(parseSeed).default(1))
    .addOption(
      new Option("--seeds <from..to>", "play all of these, and print those that fail")
        .argParser(parseSeeds)
        .conflicts(["seed", "trace"]),
    )
    .option("--trace", "print every event")
    .option("--json", "lines of JSON instead of text")
    .action((options: SimulateOptions) => {
      const simulation = new Simulation(options.json === true, (text) => console.log(text));
      const isRight =
        options.seeds === undefined
          ? simulation.playOne(options.seed, options.trace === true)
          : simulation.playAll(options.seeds);
      process.exitCode = isRight ? 0 : 1;
    });
  addSimulateTrainingCommand(simulate);
}

/** JSON has no infinity, which is a speed of kernels. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    item === Number.POSITIVE_INFINITY ? "infinite" : item,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Plays programs and prints what happens. */
export class Simulation {
  readonly #json: boolean;
  readonly #print: (text: string) => void;

  constructor(json: boolean, print: (text: string) => void) {
    this.#json = json;
    this.#print = print;
  }

  #say(value: object, lines: () => readonly string[]): void {
    if (this.#json) this.#print(jsonOf(value));
    else for (const line of lines()) this.#print(line);
  }

  /** Plays one program. @returns whether it was right */
  playOne(seed: number, trace: boolean): boolean {
    const plan = planProgram(seed);
    this.#say({ plan }, () => programLines(plan));
    const print = (event: TraceEvent): void => this.#say({ event }, () => [traceLine(event)]);
    try {
      const result = playProgram(plan, trace ? print : undefined);
      this.#say({ result }, () => [resultLine(result)]);
      return true;
    } catch (error) {
      this.#sayFailure(seed, error);
      return false;
    }
  }

  #sayFailure(seed: number, error: unknown): void {
    const message = messageOf(error);
    this.#say({ failure: { seed, message } }, () => [message]);
  }

  /** Plays many programs. @returns whether all were right */
  playAll({ first, last }: SeedRange): boolean {
    const startMs = performance.now();
    const sums = { requestsDone: 0, requestsFailed: 0, events: 0, longestPassed: 0 };
    let failures = 0;
    for (let seed = first; seed <= last; seed++) {
      try {
        addTo(sums, playProgram(planProgram(seed)));
      } catch (error) {
        failures++;
        this.#sayFailure(seed, error);
      }
    }
    const programs = last - first + 1;
    const seconds = (performance.now() - startMs) / 1000;
    const { requestsDone, requestsFailed, events, longestPassed } = sums;
    const summary = { programs, failures, requestsDone, requestsFailed, events, longestPassed };
    this.#say({ summary: Object.assign(summary, { seconds }) }, () => [
      `${programs} programs, ${failures} not right: ${requestsDone} requests done, ` +
        `${requestsFailed} failed as they had to, ${events} events, ` +
        `${seconds.toFixed(1)} s, ${(programs / seconds).toFixed(0)} programs per second`,
    ]);
    return failures === 0;
  }
}

function addTo(
  sums: { requestsDone: number; requestsFailed: number; events: number; longestPassed: number },
  result: ProgramResult,
): void {
  sums.requestsDone += result.requestsDone;
  sums.requestsFailed += result.requestsFailed;
  sums.events += result.events;
  sums.longestPassed = Math.max(sums.longestPassed, result.longestPassed);
}
