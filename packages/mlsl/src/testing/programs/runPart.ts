/** Does one rank's part of an operation, in whatever form, with buffers wherever. */

import assert from "node:assert/strict";
import type { Group } from "../../collectives/api.js";
import type { PersistentRequest, Request } from "../../collectives/requests/requests.js";
import {
  readIntegers,
  readNumbers,
  writeIntegers,
  writeNumbers,
} from "../../kernels/plainMemory.js";
import { type DataType, dataTypeInfo, type ElementArray, viewOf } from "../../memory/dataTypes.js";
import type { Random } from "../../simulation/random.js";
import { type RankPart, UNTOUCHED, type Value, type Values } from "./plan.js";
import { elementOf } from "./values.js";

/** The ends of the names of a group's methods. */
export const FORMS = ["", "Sync", "Start", "Persistent"] as const;
/** How a rank waits. */
export type Form = (typeof FORMS)[number];

function write(type: DataType, array: ElementArray, values: readonly Value[]): void {
  if (dataTypeInfo(type).family === "int") writeIntegers(array, values as bigint[]);
  else writeNumbers(array, values as number[]);
}

function read(type: DataType, array: ElementArray): Value[] {
  return dataTypeInfo(type).family === "int" ? readIntegers(array) : readNumbers(array);
}

/** A part under way. */
export class RunningPart {
  readonly #group: Group;
  readonly #part: RankPart;
  readonly #send: ElementArray | undefined;
  readonly #recv: ElementArray | undefined;

  /** @param random decides where the buffers lie; each rank has its own */
  constructor(group: Group, part: RankPart, random: Random) {
    this.#group = group;
    this.#part = part;
    const { send, recv, inPlace } = part;
    this.#send = send && this.#makeArray(send, random, (index) => send.at(index));
    const untouched = recv && elementOf(recv.type, UNTOUCHED);
    this.#recv =
      inPlace === true ? this.#send : recv && this.#makeArray(recv, random, () => untouched!);
  }

  #makeArray({ type, count }: Values, random: Random, at: (index: number) => Value): ElementArray {
    const isInside = random.below(2) === 0;
    const array = isInside
      ? this.#group.allocate(type, count)
      : viewOf(type, new ArrayBuffer(count * 8 + 8), 8, count);
    write(
      type,
      array,
      Array.from({ length: count }, (_, index) => at(index)),
    );
    return array;
  }

  #arguments(): unknown[] {
    const { kind, options } = this.#part;
    if (kind === "barrier") return [options];
    if (kind === "broadcast" || kind === "send") return [this.#send, options];
    if (kind === "recv") return [this.#recv, options];
    return [this.#send, this.#recv, options];
  }

  #call(form: Form): unknown {
    // The forms of an operation differ in the ends of their names only.
    const method = Reflect.get(this.#group, this.#part.kind + form) as (
      ...args: unknown[]
    ) => unknown;
    return method.apply(this.#group, this.#arguments());
  }

  /** Starts it, to be waited for. */
  start(form: "Start" | "Persistent"): Request {
    const request = this.#call(form);
    return form === "Start" ? (request as Request) : (request as PersistentRequest).start();
  }

  /** Does it to its end. */
  async run(form: Form): Promise<void> {
    if (form === "Start" || form === "Persistent") await this.start(form).wait();
    else await this.#call(form);
  }

  /** Makes sure of every element, and gives the buffers back. */
  finish(what: () => string): void {
    const { send, recv, inPlace } = this.#part;
    if (recv !== undefined) this.#check(this.#recv!, recv, what);
    if (send !== undefined && inPlace !== true) this.#check(this.#send!, send, what);
    for (const array of new Set([this.#send, this.#recv])) {
      if (array?.buffer instanceof SharedArrayBuffer) this.#group.free(array);
    }
  }

  #check(array: ElementArray, { type, at }: Values, what: () => string): void {
    read(type, array).forEach((value, index) => {
      const expected = at(index);
      // Sums of float zeros may have either sign.
      if (value !== expected && !(Number.isNaN(value) && Number.isNaN(expected))) {
        assert.fail(`element ${index} is ${value}, not ${expected}: ${what()}`);
      }
    });
  }
}
