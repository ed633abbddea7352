/** Looks on while a random program is played: checks fairness, and writes down what happens. */

import type { Engine } from "../../engine/engine.js";
import type { Frame, Part } from "../../engine/frames.js";
import type { Kernel } from "../../engine/kernelQueue.js";
import type { HasRoom } from "../../engine/outgoing.js";
import type { EngineRequest } from "../../engine/request.js";
import type { Probe } from "../probe.js";
import { FairnessCheck } from "./fairness.js";

/** Something that happened. */
export interface TraceEvent {
  readonly ms: number;
  readonly rank: number;
  readonly text: string;
}

/** The probe of a program. */
export class ProgramProbe implements Probe {
  readonly #fairness = new Map<Engine, FairnessCheck>();
  readonly #windowBytes: number;
  /** By sender and receiver: bytes of data that have left and not landed. */
  readonly #inFlightBytes = new Map<string, number>();
  #isLossy = false;
  readonly #trace: ((event: TraceEvent) => void) | undefined;
  frames = 0;
  kernels = 0;

  /**
   * @param windowBytes the bound on bytes in flight to a peer
   * @param trace is told everything; without it nothing is written down
   */
  constructor(windowBytes: number, trace?: (event: TraceEvent) => void) {
    this.#windowBytes = windowBytes;
    this.#trace = trace;
  }

  /** No data leaves while so much is in flight. Once something is lost, this account is wrong. */
  #checkWindow({ from, to, dataBytes }: Frame): void {
    const before = this.#inFlightBytes.get(`${from} ${to}`) ?? 0;
    this.#inFlightBytes.set(`${from} ${to}`, before + dataBytes);
    if (dataBytes === 0 || before < this.#windowBytes || this.#isLossy) return;
    throw new Error(`Rank ${from} sends to ${to} though ${before} bytes are in flight`);
  }

  /** The most times that a request was passed over in a row. */
  get longestPassed(): number {
    return Math.max(0, ...[...this.#fairness.values()].map(({ longest }) => longest));
  }

  #check(engine: Engine): FairnessCheck {
    const known = this.#fairness.get(engine);
    if (known !== undefined) return known;
    const made = new FairnessCheck();
    this.#fairness.set(engine, made);
    return made;
  }

  nextFrame(engine: Engine, nowMs: number, hasRoom: HasRoom): Frame | undefined {
    const frame = this.#check(engine).nextFrame(engine, nowMs, hasRoom);
    if (frame === undefined) return frame;
    this.frames++;
    this.#checkWindow(frame);
    if (this.#trace !== undefined) this.note(nowMs, frame.from, `sends ${frameText(frame)}`);
    return frame;
  }

  nextKernel(engine: Engine, nowMs: number): Kernel | undefined {
    const kernel = this.#check(engine).nextKernel(engine, nowMs);
    if (kernel === undefined) return kernel;
    this.kernels++;
    if (this.#trace !== undefined) {
      this.note(nowMs, engine.rank, `runs kernel ${kernel.op} of ${requestText(kernel.request)}`);
    }
    return kernel;
  }

  arrived(nowMs: number, frame: Frame): void {
    if (this.#trace !== undefined) this.note(nowMs, frame.to, `receives ${frameText(frame)}`);
  }

  landed(_nowMs: number, frame: Frame): void {
    const link = `${frame.from} ${frame.to}`;
    this.#inFlightBytes.set(link, (this.#inFlightBytes.get(link) ?? 0) - frame.dataBytes);
  }

  started(nowMs: number, rank: number, request: EngineRequest): void {
    if (this.#trace === undefined) return;
    const nth = request.starts === 0 ? "" : ` again (${request.starts + 1})`;
    this.note(nowMs, rank, `starts ${requestText(request)}${nth}`);
  }

  settled(nowMs: number, rank: number, request: EngineRequest): void {
    if (this.#trace === undefined) return;
    const { failure, state } = request;
    const why = failure === undefined ? "" : ` ${JSON.stringify(failure)}`;
    this.note(nowMs, rank, `${requestText(request)} is ${state}${why}`);
  }

  /** From now on some frames will never land. */
  lose(): void {
    this.#isLossy = true;
  }

  note(nowMs: number, rank: number, text: string): void {
    this.#trace?.({ ms: nowMs, rank, text });
  }
}

function requestText({ group, match }: EngineRequest): string {
  return `request ${match} of group ${group.id}`;
}

function partText(part: Part): string {
  if (part.kind === "abort") return `abort ${part.group}`;
  const about = `${part.group}/${part.match}`;
  if (part.kind === "hello") return `hello ${about} round ${part.round}`;
  if (part.kind === "ready") return `ready ${about}`;
  return `chunk ${about} ${part.ordinal} (${part.byteLength} B)`;
}

function frameText({ from, to, parts, byteLength }: Frame): string {
  return `${from}>${to} ${byteLength} B: ${parts.map(partText).join(", ")}`;
}
