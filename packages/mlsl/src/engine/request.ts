/** A request as an engine sees it. */

import type { Failure } from "./failure.js";
import type { DataPart, HelloPart, Match } from "./frames.js";
import { FullMeeting } from "./fullMeeting.js";
import type { EngineGroup } from "./group.js";
import { Meeting } from "./meeting.js";
import { OP_COPY, OP_REDUCE, OP_SEND, type Program } from "./program.js";
import type { Urgent } from "./urgentQueue.js";
import { Hello } from "./words.js";

/** What is asked of an engine. */
export interface RequestSpec {
  /** Matches requests of the same name, in the order of their posts; default: in the group's order. */
  readonly name?: string;
  /** The match itself, from a driver that numbers requests on its own: then in all of a group. */
  readonly match?: Match;
  /** What all ranks must agree on: kind, type, operator, count, root, chunks, in words. */
  readonly fingerprint: string;
  readonly program: Program;
  /** Smaller is more urgent. @default newer requests before older ones */
  readonly priority?: number | undefined;
  /** Milliseconds from its start until it fails. */
  readonly timeoutMs: number;
  /** Whether it is started again and again; it then keeps what it needs, until it is freed. */
  readonly persistent?: boolean;
  /** Whether it is posted again when it is over; it then keeps what it needs for as long. */
  readonly reposted?: boolean;
}

/**
 * When what happened, in milliseconds of the driver's clock; of the last start. Waiting for peers
 * is met − started, queueing is moved − met, moving is done − moved, of which kernels took kernelMs.
 */
export interface RequestTimes {
  startedMs: number;
  /** All ranks of the group are known to have posted it. */
  metMs: number;
  /** Its first chunk has left, or was taken up by a kernel. */
  movedMs: number;
  doneMs: number;
  /** Time of its kernels. */
  kernelMs: number;
}

/** Of a request that was never started: simulations have millions of them. */
const NOTHING = new Int32Array(0);

/** A chunk that leaves. */
class LeavingPart implements DataPart {
  readonly kind = "data";
  readonly ordinal: number;
  readonly byteLength: number;
  readonly request: EngineRequest;
  readonly op: number;

  constructor(request: EngineRequest, op: number) {
    const { counts, elementBytes, ordinals } = request.program;
    this.request = request;
    this.op = op;
    this.ordinal = ordinals[op]!;
    this.byteLength = counts[op]! * elementBytes;
  }

  get group(): number {
    return this.request.group.id;
  }

  get match(): Match {
    return this.request.match;
  }
}

/** What a request needs from the first start on. */
export class EngineRequest implements Urgent {
  readonly group: EngineGroup;
  match: Match;
  readonly spec: RequestSpec;
  readonly program: Program;
  readonly meeting: Meeting;
  /** Instead of it where everybody tells everybody. */
  readonly fullMeeting: FullMeeting | undefined;
  urgency = 0;
  order = -1;
  state: "idle" | "meeting" | "running" | "done" | "failed" = "idle";
  failure: Failure | undefined;
  /** How often it was started. */
  starts = 0;
  readonly times: RequestTimes = { startedMs: 0, metMs: 0, movedMs: -1, doneMs: 0, kernelMs: 0 };
  /**
   * By operation: how many it still waits for; −1 once a receive has what it waited for; −2 once it
   * is complete.
   */
  #waits: Int32Array = NOTHING;
  /** Operations that are not complete. */
  #left = 0;
  /** Chunks that came before they could be used, by operation. Made when there is one, as below. */
  #early: Map<number, DataPart> | undefined;
  /** Sends that could go but for a peer that has not started again. */
  #held: Map<number, number[]> | undefined;
  /** How many starts each peer that receives from this rank has told of. The first is told by all. */
  #readyStarts: Map<number, number> | undefined;
  readonly #parts: DataPart[] = [];
  readonly #hellos: Hello[] = [];

  /** @param tellsAll whether the ranks meet by telling everybody at once */
  constructor(group: EngineGroup, match: Match, spec: RequestSpec, tellsAll = false) {
    this.group = group;
    this.match = match;
    this.spec = spec;
    this.program = spec.program;
    const ranks = group.members.length;
    this.meeting = new Meeting(ranks, group.rank);
    this.fullMeeting = tellsAll ? new FullMeeting(ranks, group.rank, spec.fingerprint) : undefined;
  }

  /** Makes a request that is over a new one, of another match. */
  renew(match: Match): void {
    this.match = match;
    this.state = "idle";
    this.failure = undefined;
    this.starts = 0;
    this.meeting.reset();
    this.fullMeeting?.reset();
    this.#readyStarts = undefined;
  }

  /** Whether it keeps what it needs when it is over. */
  get #keeps(): boolean {
    return this.spec.persistent === true || this.spec.reposted === true;
  }

  /** The word that says that it is here. */
  hello(round: number): HelloPart {
    const made = this.#hellos[round] ?? new Hello(this, round);
    if (this.#keeps) this.#hellos[round] = made;
    return made;
  }

  /** Whether it was started and is not over. */
  get active(): boolean {
    return this.state === "meeting" || this.state === "running";
  }

  /** Makes all operations wait for what they wait for. */
  reset(): void {
    const { waits } = this.program;
    if (this.#waits.length === waits.length) this.#waits.set(waits);
    else this.#waits = waits.slice();
    this.#left = this.#waits.length;
    this.times.movedMs = -1;
    this.times.kernelMs = 0;
  }

  /** Notes when the first of its chunks has left, or was taken up by a kernel. */
  moved(nowMs: number): void {
    if (this.times.movedMs < 0) this.times.movedMs = nowMs;
  }

  get isComplete(): boolean {
    return this.#left === 0;
  }

  waitsOf(op: number): number {
    return this.#waits[op]!;
  }

  /** Takes an operation as complete. */
  complete(op: number): void {
    this.#left--;
    this.#waits[op] = -2;
  }

  /** Takes into account that one of those that an operation waits for is. @returns whether it may go */
  release(op: number): boolean {
    const waits = this.#waits[op]! - 1;
    this.#waits[op] = waits;
    return waits === 0;
  }

  /** The chunk of a send. Requests that are used again make it once. */
  partOf(op: number): DataPart {
    const made = this.#parts[op];
    if (made !== undefined) return made;
    const part = new LeavingPart(this, op);
    if (this.#keeps) this.#parts[op] = part;
    return part;
  }

  /** Notes that a receive has got its chunk, and may use it. */
  setReceived(op: number): void {
    this.#waits[op] = -1;
  }

  /** Keeps a chunk for later. */
  keep(op: number, part: DataPart): void {
    this.#early ??= new Map();
    this.#early.set(op, part);
  }

  /** Takes a chunk that was kept. */
  takeKept(op: number): DataPart | undefined {
    const part = this.#early?.get(op);
    if (part !== undefined) this.#early?.delete(op);
    return part;
  }

  /** Whether the chunk of a receive has come. */
  hasCome(op: number): boolean {
    return this.#waits[op]! < 0 || this.#early?.has(op) === true;
  }

  /** Whether a peer that receives from this rank has started as often as this rank. */
  mayReceive(peer: number): boolean {
    return this.starts === 1 || this.#startsOf(peer) >= this.starts;
  }

  #startsOf(peer: number): number {
    return this.#readyStarts?.get(peer) ?? 1;
  }

  /** Keeps a send until its peer has started. */
  hold(peer: number, op: number): void {
    this.#held ??= new Map();
    const ops = this.#held.get(peer);
    if (ops === undefined) this.#held.set(peer, [op]);
    else ops.push(op);
  }

  /** Takes into account that a peer has started again. @returns the sends that were held for it */
  peerStarted(peer: number): readonly number[] {
    this.#readyStarts ??= new Map();
    this.#readyStarts.set(peer, this.#startsOf(peer) + 1);
    if (!this.mayReceive(peer)) return [];
    const ops = this.#held?.get(peer) ?? [];
    this.#held?.delete(peer);
    return ops;
  }

  /** Drops chunks that came early, and sends that wait for their peers. */
  dropKept(): void {
    this.#early = undefined;
    this.#held = undefined;
  }

  /** Chunks that are kept, and peers that sends are held for. */
  get heldCount(): number {
    return (this.#early?.size ?? 0) + (this.#held?.size ?? 0);
  }

  /** Ranks of the group without which nothing goes on, in order. */
  missing(): number[] {
    if (this.state === "meeting") return this.fullMeeting?.missing ?? [this.meeting.awaited];
    const missing = new Set(this.#held?.keys());
    const { kinds, peers } = this.program;
    for (let op = 0; op < kinds.length; op++) {
      if (kinds[op] === OP_SEND || kinds[op] === OP_COPY || this.#waits[op] !== 0) continue;
      if (kinds[op] !== OP_REDUCE) missing.add(peers[op]!);
    }
    return [...missing].sort((a, b) => a - b);
  }

  /** Whether it cannot complete unless a rank of the group does something. */
  needs(peer: number): boolean {
    if (this.state === "meeting") return this.missing().includes(peer);
    const { peers } = this.program;
    for (let op = 0; op < peers.length; op++) {
      // What has arrived needs nothing more of its sender.
      if (peers[op] === peer && this.#waits[op]! > -1 && this.#early?.has(op) !== true) return true;
    }
    return false;
  }
}
