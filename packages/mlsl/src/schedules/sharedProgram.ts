/**
 * Carries out schedules of messages between ranks that see each other's memory. Nothing is sent: a
 * receive reads where the sender's region lies, as soon as the sender has come to its send, and a
 * step that writes waits until nobody reads there any more. All that it takes is a counter for each
 * rank of the steps that it has completed.
 */

import type { Region, TransportSchedule, TransportStep } from "./transport/steps.js";

/** A rank that has to have completed so many steps first. */
export interface StepWait {
  readonly rank: number;
  readonly steps: number;
}

/** What a rank does at a step of its schedule, in bytes. */
export interface SharedStep {
  readonly waits: readonly StepWait[];
  /** `combine`: target = source ∘ target ("before") or target ∘ source ("after"). */
  readonly action: "none" | "copy" | "before" | "after";
  readonly source: number;
  readonly target: number;
  readonly byteLength: number;
}

/** Where the buffers of a rank lie; those that it does not have are never asked for. */
export interface BufferAddresses {
  readonly send: number;
  readonly recv: number;
  readonly scratch: number;
}

interface Bytes {
  readonly begin: number;
  readonly end: number;
}

/** A send that is not known to be over. */
interface OpenSend {
  readonly bytes: Bytes;
  readonly received: StepWait;
}

/** The programs of all ranks' schedules. */
export class SharedPrograms {
  readonly #schedules: readonly TransportSchedule[];
  readonly #addresses: readonly BufferAddresses[];
  readonly #elementBytes: number;

  /**
   * @param schedules of all ranks
   * @param addresses of all ranks' buffers
   */
  constructor(
    schedules: readonly TransportSchedule[],
    addresses: readonly BufferAddresses[],
    elementBytes: number,
  ) {
    this.#schedules = schedules;
    this.#addresses = addresses;
    this.#elementBytes = elementBytes;
  }

  /** Steps of the longest schedule. */
  get longest(): number {
    return Math.max(...this.#schedules.map(({ steps }) => steps.length));
  }

  #bytesOf(rank: number, { buffer, offset, count }: Region): Bytes {
    const begin = this.#addresses[rank]![buffer] + offset * this.#elementBytes;
    return { begin, end: begin + count * this.#elementBytes };
  }

  /** Steps of one rank that send to, or receive from, another, in their order. */
  #indexes(rank: number, kind: "send" | "receive", peer: number): number[] {
    const indexes: number[] = [];
    this.#schedules[rank]!.steps.forEach((step, i) => {
      if (step.kind === kind && peerOf(step) === peer) indexes.push(i);
    });
    return indexes;
  }

  /** What a rank does. */
  programOf(rank: number): SharedStep[] {
    const { steps } = this.#schedules[rank]!;
    const counts = new Map<string, number>();
    const matching = new Map<string, number[]>();
    const nextMatch = (kind: "send" | "receive", peer: number): number => {
      const key = `${kind} ${peer}`;
      // Of the other rank's schedule, the steps that match those of this kind here.
      const other = kind === "send" ? "receive" : "send";
      if (!matching.has(key)) matching.set(key, this.#indexes(peer, other, rank));
      const k = counts.get(key) ?? 0;
      counts.set(key, k + 1);
      return matching.get(key)![k]!;
    };
    const open: OpenSend[] = [];
    return steps.map((step) => this.#bind(rank, step, { nextMatch, open }));
  }

  #bind(
    rank: number,
    step: TransportStep,
    state: { nextMatch(kind: "send" | "receive", peer: number): number; open: OpenSend[] },
  ): SharedStep {
    const nothing = { waits: [], action: "none" as const, source: 0, target: 0, byteLength: 0 };
    if (step.kind === "send") {
      const steps = state.nextMatch("send", step.to) + 1;
      const bytes = this.#bytesOf(rank, step.region);
      state.open.push({ bytes, received: { rank: step.to, steps } });
      return nothing;
    }
    if (step.kind === "copy") {
      const from = this.#bytesOf(rank, step.from);
      const to = this.#bytesOf(rank, step.to);
      if (from.begin === to.begin) return nothing;
      return move("copy", from, to, readersOf(state.open, to));
    }
    const index = state.nextMatch("receive", step.from);
    const send = this.#schedules[step.from]!.steps[index] as TransportStep & { kind: "send" };
    const from = this.#bytesOf(step.from, send.region);
    const to = this.#bytesOf(rank, step.region);
    const waits = [{ rank: step.from, steps: index }, ...readersOf(state.open, to)];
    return move(step.combine ?? "copy", from, to, waits);
  }
}

function peerOf(step: TransportStep): number {
  if (step.kind === "send") return step.to;
  return step.kind === "receive" ? step.from : -1;
}

function move(
  action: "copy" | "before" | "after",
  from: Bytes,
  to: Bytes,
  waits: readonly StepWait[],
): SharedStep {
  const byteLength = to.end - to.begin;
  return { waits, action, source: from.begin, target: to.begin, byteLength };
}

/** Who reads from bytes that are about to be written. */
function readersOf(open: readonly OpenSend[], { begin, end }: Bytes): StepWait[] {
  return open
    .filter(({ bytes }) => bytes.begin < end && begin < bytes.end)
    .map(({ received }) => received);
}
