/** One point made ready: how to write the inputs, call, and check the result. */

import type { Group } from "../collectives/api.js";
import { type DataTypeInfo, dataTypeInfo, type ElementArray, viewOf } from "../memory/dataTypes.js";
import { type Buffers, callForms } from "./calls.js";
import { bytesOf, combined, contribution, elementText, Wave } from "./pattern.js";
import { type BenchPoint, type BenchTask, isInPlace } from "./points.js";
import { alignedBytes, type Shape, shapeFor } from "./shape.js";

/** An operation on buffers of one size. */
export interface Workload {
  /** Whether there are buffers that are written before a call. */
  readonly hasInputs: boolean;
  /** Writes the inputs of a round; no element is as in the round before. */
  fill(round: number): void;
  call(): void;
  /**
   * Checks the whole result of a round.
   *
   * @throws {Error} If an element is wrong.
   */
  check(round: number): void;
  free(): void;
}

/** How the calls are made. */
export interface WorkloadOptions extends Pick<BenchTask, "inPlace" | "persistent"> {
  /**
   * Memory of the segment for the buffers, of largestBuffers (points.ts) bytes; buffers lie outside
   * of the segment without it. One block for all points: blocks of many sizes would leave gaps.
   */
  readonly block?: Uint8Array;
}

function makeBuffers(
  type: DataTypeInfo,
  shape: Shape,
  { block, inPlace }: { block: Uint8Array | undefined; inPlace: boolean },
): Buffers {
  let used = 0;
  const make = (count: number): ElementArray => {
    const byteLength = count * type.byteLength;
    if (block === undefined) return viewOf(type.name, new ArrayBuffer(byteLength), 0, count);
    const byteOffset = block.byteOffset + used;
    used += alignedBytes(byteLength);
    return viewOf(type.name, block.buffer, byteOffset, count);
  };
  const { send, recv, inPlaceAt } = shape;
  if (!inPlace || send === undefined || recv === undefined) {
    const first = send === undefined ? undefined : make(send);
    return { send: first, recv: recv === undefined ? undefined : make(recv) };
  }
  const whole = make(Math.max(send, recv));
  const part = (count: number): ElementArray => {
    if (count === whole.length) return whole;
    const begin = whole.byteOffset + inPlaceAt * type.byteLength;
    return viewOf(type.name, whole.buffer, begin, count);
  };
  return { send: part(send), recv: part(recv) };
}

/** What all stretches of a result are compared with, in the order of the stretches. */
function makeChecks({ op, type, operator }: BenchPoint, { ranks }: Group, shape: Shape) {
  const info = dataTypeInfo(type);
  const sum = operator ?? "sum";
  const waves = new Map<number | "all", Wave>();
  let begin = 0;
  return shape.expected.map(({ count, from, first }) => {
    const valueAt = (phase: number): number =>
      from === "all"
        ? combined(sum, { ranks, phase, family: info.family })
        : contribution(from, phase, operator);
    const wave = waves.get(from) ?? new Wave(info, valueAt);
    waves.set(from, wave);
    const at = begin;
    begin += count;
    return { op, wave, first, begin: at, end: begin };
  });
}

function makeChecker(point: BenchPoint, group: Group, shape: Shape, recv: ElementArray) {
  const bytes = bytesOf(recv);
  const width = recv.BYTES_PER_ELEMENT;
  const parts = makeChecks(point, group, shape).map((part) => ({
    ...part,
    bytes: bytes.subarray(part.begin * width, part.end * width),
  }));
  return (round: number): void => {
    for (const { wave, first, begin, bytes: part } of parts) {
      const wrong = wave.firstWrong(part, first + round);
      if (wrong < 0) continue;
      throw new Error(
        `Wrong result of ${point.op} of ${point.bytes} bytes of ${point.type} in round ${round}: ` +
          `element ${begin + wrong} of rank ${group.rank} is ` +
          `${elementText(recv, begin + wrong)}, not ${wave.text(first + wrong + round)}`,
      );
    }
  };
}

/** Prepares a point. */
export function makeWorkload(
  group: Group,
  point: BenchPoint,
  { block, inPlace, persistent }: WorkloadOptions,
): Workload {
  const type = dataTypeInfo(point.type);
  const shape = shapeFor(point.op, point.bytes / type.byteLength, group);
  const buffers = makeBuffers(type, shape, { block, inPlace: isInPlace(point.op, inPlace) });
  const { send, recv } = buffers;
  const input = send === undefined ? undefined : bytesOf(send);
  const wave = new Wave(type, (phase) => contribution(group.rank, phase, point.operator));
  const check = recv === undefined ? () => undefined : makeChecker(point, group, shape, recv);
  const forms = callForms(group, point, buffers, shape);
  const request = persistent ? forms.persistent() : undefined;
  return {
    hasInputs: point.op !== "barrier",
    fill: (round) => {
      if (input !== undefined) wave.write(input, round);
    },
    call: request === undefined ? forms.sync : () => request.start().waitSync(),
    check,
    free: () => request?.free(),
  };
}
