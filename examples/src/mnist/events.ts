/** What a training tells the program that started it: events, one a line, on rank 0's stdout. */

import type { NetName } from "./nets.js";

/** Training is about to begin. */
export interface StartEvent {
  readonly kind: "start";
  readonly net: NetName;
  readonly ranks: number;
  readonly epochs: number;
  readonly stepsPerEpoch: number;
  /** Digits to learn from. */
  readonly images: number;
  readonly testImages: number;
  /** Digits of a step, all ranks together. */
  readonly batchSize: number;
}

/** A step is done. Not told for each. */
export interface StepEvent {
  readonly kind: "step";
  readonly epoch: number;
  /** Steps done in this epoch. */
  readonly step: number;
  /** Of rank 0's part of the batch. */
  readonly loss: number;
}

/** An epoch is done. */
export interface EpochEvent {
  readonly kind: "epoch";
  readonly epoch: number;
  /** Time of the slowest rank in `model.fit`. */
  readonly ms: number;
  /** Time of the fastest step, on the rank where that was slowest. */
  readonly fastestStepMs: number;
  /** Time that a rank waited for others in a step, averaged over ranks and steps. */
  readonly exposedMsPerStep: number;
  /** Of each step, averaged over the digits of all ranks. */
  readonly losses: readonly number[];
}

/** Training is over. */
export interface DoneEvent {
  readonly kind: "done";
  /** 0 … 1 */
  readonly testAccuracy: number;
  /** All ranks have the same weights, to the last bit. */
  readonly bitEqual: boolean;
  /** SHA-256 of rank 0's weights. */
  readonly weightsHash: string;
}

/** Anything that a training tells. */
export type TrainingEvent = StartEvent | StepEvent | EpochEvent | DoneEvent;

/** Start of a line that is an event. */
const PREFIX = "@demo ";

/** The line for an event, without its newline. */
export function formatEvent(event: TrainingEvent): string {
  return PREFIX + JSON.stringify(event);
}

/** The event of a line; undefined if the line is none. */
export function parseEvent(line: string): TrainingEvent | undefined {
  if (!line.startsWith(PREFIX)) return undefined;
  return JSON.parse(line.slice(PREFIX.length)) as TrainingEvent;
}
