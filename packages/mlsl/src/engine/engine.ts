/**
 * The progress engine: a state machine that carries out the requests of one rank. It does no I/O,
 * has no clock and no threads. Requests, frames that have arrived, kernels that are done and the time
 * go in; its driver asks it for the next frame to send, the next kernel to run, and the requests
 * that are over. A driver asks for a frame when its link is free to take one, and for a kernel when
 * it can run one: what is most urgent is decided then, and nothing queues up behind the decision.
 *
 * - Nothing waits for its turn while there is something that can move: any request with a chunk whose
 *   peer has room goes on, the most urgent first, and between any two chunks the order may change.
 * - The bytes in flight to a peer are bounded, so an urgent chunk waits for no more than those, and
 *   a slow peer holds up nobody else's; and chunks are taken off the link as soon as they arrive, so no chunk ever waits for
 *   room behind one that cannot be used yet. Therefore no order of starts on different ranks can
 *   make them wait for each other, as long as every rank starts everything in the end.
 * - Every OLDEST_EVERY-th chunk is the oldest request's, so none waits for ever.
 */

import type { EngineContents } from "./contents.js";
import type { Failure } from "./failure.js";
import type { DataPart, Frame, HelloPart, Match, Part, ReadyPart } from "./frames.js";
import { EngineGroup } from "./group.js";
import { type Kernel, KernelQueue } from "./kernelQueue.js";
import { type OrderMode, urgencyOf } from "./order.js";
import { type HasRoom, Outgoing, type OutgoingLimits } from "./outgoing.js";
import { OP_COPY, OP_HOLD, OP_REDUCE, OP_SEND } from "./program.js";
import { EngineRequest, type RequestSpec } from "./request.js";
import { keptHello, ready } from "./words.js";

/** How an engine works. */
export interface EngineOptions extends OutgoingLimits {
  /** This rank of the job. */
  readonly rank: number;
  /** @default "priority" */
  readonly mode?: OrderMode;
  /**
   * Whether ranks meet by telling everybody at once, for transports where that is cheap; the same on
   * all ranks. @default they tell as few as possible
   */
  readonly tellsAll?: boolean;
}

/** Links that take whatever comes. */
const anywhere: HasRoom = () => true;

/** The most requests that may be under way on a rank; more have to wait for some to complete. */
export const MAX_REQUESTS = 65536;

/**
 * How many groups that were closed last an engine remembers: words about their failure may still
 * come, and must not be kept for a group to be opened. Peers close within one operation of each other.
 */
const REMEMBERED_GROUPS = 4096;

/** The engine of one rank. */
export class Engine {
  readonly rank: number;
  readonly #mode: OrderMode;
  readonly #tellsAll: boolean;
  readonly #groups = new Map<number, EngineGroup>();
  /** Parts for groups that are not open here yet. */
  readonly #earlyParts = new Map<number, { from: number; part: Part }[]>();
  /** Groups that were closed last, the oldest first. */
  readonly #closed = new Set<number>();
  readonly #outgoing: Outgoing;
  readonly #kernels: KernelQueue;
  readonly #active = new Set<EngineRequest>();
  /** Ranks of the job that are gone, and why. */
  readonly #lost = new Map<number, string>();
  #settled: EngineRequest[] = [];
  /** What was settled before, and was taken. */
  #taken: EngineRequest[] = [];
  #starts = 0;

  constructor({ rank, mode = "priority", tellsAll = false, ...limits }: EngineOptions) {
    this.rank = rank;
    this.#mode = mode;
    this.#tellsAll = tellsAll;
    this.#outgoing = new Outgoing(rank, limits);
    this.#kernels = new KernelQueue(limits.reusesObjects === true);
  }

  /** Requests that are under way. */
  get activeCount(): number {
    return this.#active.size;
  }

  /** Those requests, in the order in which they were started. */
  get activeRequests(): Iterable<EngineRequest> {
    return this.#active;
  }

  /** The oldest request with a chunk that may leave: one in OLDEST_EVERY frames is its. */
  oldestSendable(hasRoom: HasRoom = anywhere): EngineRequest | undefined {
    return this.#outgoing.oldestSendable(hasRoom);
  }

  /** The oldest request with a kernel that may run: one in OLDEST_EVERY kernels is its. */
  get oldestComputable(): EngineRequest | undefined {
    return this.#kernels.oldest;
  }

  /** All that the engine holds: when nothing is under way, nothing but groups that are open. */
  get contents(): EngineContents {
    let [posted, held] = [0, 0];
    for (const { requests, heldCount } of this.#groups.values()) {
      posted += requests.size;
      held += heldCount;
    }
    for (const parts of this.#earlyParts.values()) held += parts.length;
    const { busyCount, inFlightBytes } = this.#outgoing;
    const queued = busyCount + (this.#kernels.isEmpty ? 0 : 1);
    return { groups: this.#groups.size, posted, held, queued, inFlightBytes };
  }

  /** Whether another request may be started. */
  get hasRoom(): boolean {
    return this.#active.size < MAX_REQUESTS;
  }

  /**
   * Makes a group known.
   *
   * @param id the same on all its ranks, and never that of another group
   * @param members ranks of the job; this rank is one of them
   */
  openGroup(id: number, members: readonly number[]): EngineGroup {
    if (this.#groups.has(id) || this.#closed.has(id)) {
      throw new RangeError(`Cannot open group ${id}: the number has been used`);
    }
    const group = new EngineGroup(id, members, this.rank);
    this.#groups.set(id, group);
    const early = this.#earlyParts.get(id) ?? [];
    this.#earlyParts.delete(id);
    for (const { from, part } of early) this.#take(from, part, 0);
    for (const [rank, reason] of this.#lost) this.#loseMember(group, { rank, reason }, 0);
    return group;
  }

  /** Forgets a group. Its requests must be over. */
  closeGroup(group: EngineGroup): void {
    for (const request of group.requests.values()) {
      if (!request.active) continue;
      throw new Error(`Cannot close group ${group.id}: request ${request.match} is under way`);
    }
    this.#groups.delete(group.id);
    this.#closed.add(group.id);
    if (this.#closed.size > REMEMBERED_GROUPS) this.#closed.delete(first(this.#closed));
  }

  /** Makes a request, which `start` starts. Ranks post requests without a name in the same order. */
  post(group: EngineGroup, spec: RequestSpec): EngineRequest {
    const request = new EngineRequest(group, group.nextMatch(spec), spec, this.#tellsAll);
    group.requests.set(request.match, request);
    return request;
  }

  /**
   * Posts a request that is over once more, as a new one of the same program under a match that its
   * driver gives: nothing is made anew. It must have been posted as `reposted`.
   */
  repost(request: EngineRequest, match: Match): void {
    if (request.active) throw new Error(`Cannot repost request ${request.match}: it is under way`);
    request.renew(match);
    request.group.requests.set(match, request);
  }

  /** Drops a persistent request that is not under way. */
  free(request: EngineRequest): void {
    if (request.active) throw new Error(`Cannot free request ${request.match}: it is under way`);
    request.group.requests.delete(request.match);
  }

  /** Starts a request, or starts a persistent one again. */
  start(request: EngineRequest, nowMs: number): void {
    if (request.active) throw new Error(`Cannot start request ${request.match}: it is under way`);
    if (!this.hasRoom) {
      throw new RangeError(`Cannot start a request: ${MAX_REQUESTS} are under way`);
    }
    request.order = this.#starts++;
    request.urgency = urgencyOf(this.#mode, request.spec.priority, request.order);
    request.starts++;
    request.times.startedMs = nowMs;
    request.reset();
    this.#active.add(request);
    const { group } = request;
    if (group.failure !== undefined) {
      this.#settle(request, nowMs, group.failure);
      return;
    }
    if (request.starts > 1) {
      for (const peer of request.program.receives.keys()) this.#tell(group, peer, ready(request));
      this.#run(request, nowMs);
      return;
    }
    request.state = "meeting";
    if (this.#tellsAll) this.#tellAll(request);
    else if (!request.meeting.isOver) this.#sayHello(request);
    for (const early of group.takeHellos(request.match))
      this.#hearAbout(request, early.from, early, nowMs);
    this.#meet(request, nowMs);
  }

  /** Takes a frame that has arrived. */
  frameArrived(frame: Frame, nowMs: number): void {
    for (const part of frame.parts) this.#take(frame.from, part, nowMs);
  }

  /** Takes a frame's bytes as arrived at its peer: there is room for others. */
  frameLanded(frame: Frame): void {
    this.#outgoing.landed(frame);
  }

  /** Takes a chunk's bytes as read: they may be overwritten. */
  sent({ request, op }: DataPart, nowMs: number): void {
    this.#complete(request, op, nowMs);
  }

  /** Takes a kernel as done. @param tookMs how long it ran */
  kernelDone({ request, op }: Kernel, nowMs: number, tookMs: number): void {
    request.times.kernelMs += tookMs;
    this.#complete(request, op, nowMs);
  }

  /** Fails all groups that a rank of the job is in, because it is gone, and those opened later. */
  peerLost(rank: number, reason: string, nowMs: number): void {
    this.#lost.set(rank, reason);
    for (const group of this.#groups.values()) this.#loseMember(group, { rank, reason }, nowMs);
    this.#outgoing.lose(rank);
  }

  #loseMember(group: EngineGroup, lost: { rank: number; reason: string }, nowMs: number): void {
    const { rank, reason } = lost;
    if (group.rankOf(rank) !== undefined) this.#fail(group, { kind: "lost", rank, reason }, nowMs);
  }

  /**
   * Fails the groups in which something waits for a rank of the job that has ended in good order or
   * not; all that it has sent must have been taken before. What does not need it goes on.
   */
  peerEnded(rank: number, reason: string, nowMs: number): void {
    for (const { group } of this.#needing(rank)) {
      this.#fail(group, { kind: "lost", rank, reason }, nowMs);
    }
  }

  #needing(rank: number): EngineRequest[] {
    return [...this.#active].filter((request) => {
      const peer = request.group.rankOf(rank);
      return peer !== undefined && request.needs(peer);
    });
  }

  /** Fails what has taken longer than it may. */
  tick(nowMs: number): void {
    for (const request of this.#active) {
      const { timeoutMs } = request.spec;
      if (nowMs - request.times.startedMs >= timeoutMs) this.expire(request, timeoutMs, nowMs);
    }
  }

  /** Fails a request that is under way, because somebody does not wait for it any longer. */
  expire(request: EngineRequest, timeoutMs: number, nowMs: number): void {
    const { group, match } = request;
    const missing = request.missing();
    this.#fail(group, { kind: "timeout", match, timeoutMs, rank: group.rank, missing }, nowMs);
  }

  /** Fails a group for a reason that its rank knows, and tells the others. */
  abort(group: EngineGroup, failure: Failure, nowMs: number): void {
    this.#fail(group, failure, nowMs);
  }

  /** When `tick` has something to do, unless something completes before. */
  get nextDeadlineMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { times, spec } of this.#active) {
      next = Math.min(next, times.startedMs + spec.timeoutMs);
    }
    return next;
  }

  /** The requests that are over since the last call, "done" or "failed"; until the next call. */
  takeSettled(): readonly EngineRequest[] {
    const settled = this.#settled;
    if (settled.length === 0) return settled;
    this.#settled = this.#taken;
    this.#settled.length = 0;
    this.#taken = settled;
    return settled;
  }

  /** The kernel that should run next; its driver says when it is done. */
  nextKernel(nowMs: number): Kernel | undefined {
    return this.#kernels.next(nowMs);
  }

  /**
   * The frame that should leave next; undefined if there is none that may.
   *
   * @param hasRoom whether the link to a rank of the job can take a frame now. @default all can
   */
  nextFrame(nowMs: number, hasRoom: HasRoom = anywhere): Frame | undefined {
    return this.#outgoing.next(nowMs, hasRoom);
  }

  /** @param member rank of the group */
  #tell(group: EngineGroup, member: number, part: Part): void {
    this.#outgoing.tell(group.members[member]!, part);
  }

  #take(from: number, part: Part, nowMs: number): void {
    const group = this.#groups.get(part.group);
    if (group === undefined) {
      if (this.#closed.has(part.group)) return;
      const early = this.#earlyParts.get(part.group) ?? [];
      // A driver may use a word's object again.
      early.push({ from, part: part.kind === "hello" ? keptHello(part) : part });
      this.#earlyParts.set(part.group, early);
      return;
    }
    if (group.failure !== undefined) return;
    if (part.kind === "abort") this.#fail(group, part.failure, nowMs);
    else if (part.kind === "hello") this.#hear(from, part, nowMs);
    else this.#deliver(group, from, part, nowMs);
  }

  /** Takes what only comes for requests that this rank has posted. */
  #deliver(group: EngineGroup, from: number, part: DataPart | ReadyPart, nowMs: number): void {
    const request = group.requests.get(part.match);
    const peer = group.rankOf(from);
    if (request === undefined || peer === undefined) {
      this.#refuse(group, from, `${part.kind} for request ${part.match}, which is not here`, nowMs);
    } else if (part.kind === "ready") {
      for (const op of request.peerStarted(peer)) this.#outgoing.queueSend(request, op);
    } else this.#receive(request, peer, part, nowMs);
  }

  #refuse(group: EngineGroup, rank: number, reason: string, nowMs: number): void {
    this.#fail(group, { kind: "badMessage", rank, reason }, nowMs);
  }

  #sayHello(request: EngineRequest): void {
    const { group, meeting } = request;
    this.#tell(group, meeting.listener, request.hello(meeting.round));
  }

  #tellAll(request: EngineRequest): void {
    const { group } = request;
    for (let member = 0; member < group.members.length; member++) {
      if (member !== group.rank) this.#tell(group, member, request.hello(0));
    }
  }

  #hear(from: number, part: HelloPart, nowMs: number): void {
    const group = this.#groups.get(part.group)!;
    if (group.failure !== undefined) return;
    const request = group.requests.get(part.match);
    if (request === undefined || request.state === "idle") {
      group.keepHello(from, part);
      return;
    }
    this.#hearAbout(request, from, part, nowMs);
  }

  #hearAbout(
    request: EngineRequest,
    from: number,
    { round, fingerprint }: Pick<HelloPart, "round" | "fingerprint">,
    nowMs: number,
  ): void {
    const { group, meeting, match, spec, fullMeeting } = request;
    if (group.failure !== undefined) return;
    const rank = group.rankOf(from);
    if (fullMeeting !== undefined) {
      if (rank === undefined || !fullMeeting.hear(rank, fingerprint)) {
        this.#refuse(group, from, `another hello for request ${match}`, nowMs);
      } else this.#meet(request, nowMs);
      return;
    }
    if (!meeting.expects(round) || meeting.teller(round) !== rank) {
      this.#refuse(group, from, `hello ${round} for request ${match}`, nowMs);
      return;
    }
    if (fingerprint !== spec.fingerprint) {
      const mine = { rank: group.rank, fingerprint: spec.fingerprint };
      const asked = [mine, { rank, fingerprint }];
      this.#fail(group, { kind: "mismatch", match, asked }, nowMs);
      return;
    }
    meeting.hear(round);
    this.#meet(request, nowMs);
  }

  /** Goes on with a meeting as far as it can, and runs the request when it is over. */
  #meet(request: EngineRequest, nowMs: number): void {
    if (request.state !== "meeting") return;
    const { meeting, fullMeeting, group, match } = request;
    if (fullMeeting !== undefined) {
      if (!fullMeeting.isOver) return;
      if (fullMeeting.agree) this.#run(request, nowMs);
      else this.#fail(group, { kind: "mismatch", match, asked: fullMeeting.asked }, nowMs);
      return;
    }
    while (meeting.advance()) if (!meeting.isOver) this.#sayHello(request);
    if (meeting.isOver) this.#run(request, nowMs);
  }

  /** Starts all operations that wait for nothing. */
  #run(request: EngineRequest, nowMs: number): void {
    request.state = "running";
    request.times.metMs = nowMs;
    const { waits } = request.program;
    for (let op = 0; op < waits.length; op++)
      if (waits[op] === 0) this.#activate(request, op, nowMs);
    const { state, isComplete } = request as EngineRequest;
    if (isComplete && state === "running") this.#settle(request, nowMs, undefined);
  }

  /** Puts an operation where it waits for its turn; all that it depends on is complete. */
  #activate(request: EngineRequest, op: number, nowMs: number): void {
    const kind = request.program.kinds[op];
    if (kind === OP_SEND) {
      const peer = request.program.peers[op]!;
      if (request.mayReceive(peer)) this.#outgoing.queueSend(request, op);
      else request.hold(peer, op);
    } else if (kind === OP_COPY || kind === OP_REDUCE) this.#kernels.push(request, op);
    else if (request.hasCome(op)) this.#queueReceived(request, op, nowMs);
  }

  #queueReceived(request: EngineRequest, op: number, nowMs: number): void {
    request.setReceived(op);
    // What is held stays with the request until a reduction takes it.
    if (request.program.kinds[op] === OP_HOLD) this.#complete(request, op, nowMs);
    else this.#kernels.push(request, op);
  }

  /** Takes a chunk that has arrived. */
  #receive(request: EngineRequest, peer: number, part: DataPart, nowMs: number): void {
    const { program, match, group } = request;
    const op = program.receives.get(peer)?.[part.ordinal];
    const bytes = op === undefined ? -1 : program.counts[op]! * program.elementBytes;
    if (op === undefined || bytes !== part.byteLength || request.hasCome(op)) {
      const what = `chunk ${part.ordinal} of ${part.byteLength} bytes for request ${match}`;
      this.#refuse(group, group.members[peer]!, what, nowMs);
      return;
    }
    request.keep(op, part);
    // A peer may have heard that all agree before this rank has.
    if (request.state === "running" && request.waitsOf(op) === 0)
      this.#queueReceived(request, op, nowMs);
  }

  #complete(request: EngineRequest, op: number, nowMs: number): void {
    if (request.state !== "running") return;
    request.complete(op);
    const { nextStarts, next } = request.program;
    const end = nextStarts[op + 1]!;
    for (let i = nextStarts[op]!; i < end; i++) {
      const successor = next[i]!;
      if (request.release(successor)) this.#activate(request, successor, nowMs);
    }
    if (request.isComplete) this.#settle(request, nowMs, undefined);
  }

  #settle(request: EngineRequest, nowMs: number, failure: Failure | undefined): void {
    request.state = failure === undefined ? "done" : "failed";
    request.failure = failure;
    request.times.doneMs = nowMs;
    this.#active.delete(request);
    this.#settled.push(request);
    if (request.spec.persistent !== true) request.group.requests.delete(request.match);
  }

  /** Fails all that is under way in a group, and tells the others once. */
  #fail(group: EngineGroup, failure: Failure, nowMs: number): void {
    if (group.failure !== undefined) return;
    group.failure = failure;
    for (const request of group.requests.values()) {
      if (!request.active) continue;
      this.#outgoing.drop(request);
      this.#kernels.remove(request);
      this.#settle(request, nowMs, failure);
    }
    group.dropKept();
    // Each rank tells those to whom it says hello, so all learn it in ⌈log2 n⌉ steps.
    const { members, rank, id } = group;
    for (let distance = 1; distance < members.length; distance *= 2) {
      const listener = (rank + distance) % members.length;
      this.#tell(group, listener, { kind: "abort", group: id, failure });
    }
  }
}

function first(numbers: ReadonlySet<number>): number {
  for (const number of numbers) return number;
  throw new Error("Cannot take the first number of an empty set");
}
