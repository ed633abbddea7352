/**
 * How the ranks of a group meet: each publishes what it asks for, where its buffers lie and, when
 * it is small, its data; then it reads the same of everybody else.
 */

import { MismatchError } from "../../errors/communicationErrors.js";
import {
  EXCHANGE,
  INLINE_BYTES,
  INLINE_OFFSET,
  LINE,
  LINE_BYTES,
  PLAN,
  plannedTargets,
  REQUEST,
  SLOT_BYTES,
} from "../../kernels/exchangeLayout.js";
import { OP_CODES } from "../../kernels/kernels.js";
import { SLEEPERS_OFFSET } from "../../memory/layout.js";
import {
  type DirectBlocks,
  disagreements,
  disagreementTexts,
  type RankTables,
  variableBlocks,
} from "../../schedules/directBlocks.js";
import type { GroupMemory } from "../groups/groupMemory.js";
import {
  fingerprintText,
  type GroupPlace,
  placeOf,
  readFingerprint,
} from "../operations/operation.js";
import type { RankContext } from "../requests/rankContext.js";
import { Details } from "./details.js";
import type { Delivery, Prepared } from "./prepared.js";

/** Everything that a group's execution works with, on one rank. */
export interface ExecutionContext extends RankContext {
  readonly memory: GroupMemory;
  readonly place: GroupPlace;
  /** This rank in the group. */
  readonly rank: number;
  /** Ranks of the group. */
  readonly ranks: number;
  /** The host's number of each rank of the group. */
  readonly members: readonly number[];
}

/** Flags beside a line's address of details, which is a multiple of 64. */
const SEND_STAGED = 1;
const RECV_OUTSIDE = 2;
const FLAGS = 64;

/** 2³²: sequence numbers wrap. */
const WRAP = 4294967296;

/** What even, or odd, operations use. */
interface Turn {
  readonly request: number;
  readonly plan: number;
  readonly details: number;
  readonly lines: number;
  readonly slots: number;
  /** What stands in the request: training repeats itself, and then it need not be written again. */
  written: Prepared | undefined;
  /** What the last operation's tables came to, in case the next has the same. */
  variable: VariableBlocks | undefined;
}

/** The blocks that follow from the tables of all ranks. */
interface VariableBlocks {
  readonly prepared: Prepared;
  /** Of each rank's tables. */
  readonly versions: readonly number[];
  readonly blocks: DirectBlocks;
}

function turnOf({ requests, plans, details, control }: GroupMemory, parity: 0 | 1): Turn {
  return {
    request: requests[parity],
    plan: plans[parity],
    details: details[parity],
    lines: control.lines[parity],
    slots: control.slots[parity],
    written: undefined,
    variable: undefined,
  };
}

/** The meetings of a group, one after the other, as one rank takes part in them. */
export class Meeting {
  readonly #context: ExecutionContext;
  readonly #words: Int32Array;
  readonly #details: Details;
  /** Of even and of odd operations. */
  readonly #turns: readonly [Turn, Turn];
  #sequence = 0;
  /** The turn of the operation under way. */
  #turn: Turn;

  constructor(context: ExecutionContext) {
    const { segment, memory, ranks } = context;
    this.#context = context;
    this.#words = segment.words;
    this.#details = new Details(segment.buffer, ranks);
    this.#turns = [turnOf(memory, 0), turnOf(memory, 1)];
    this.#turn = this.#turns[0];
    for (const block of memory.details) this.#details.writeStaging(block, memory.staging);
    for (const turn of this.#turns) this.#writeFixed(turn);
  }

  /** What is the same for all operations. */
  #writeFixed({ request, lines, slots, plan }: Turn): void {
    const { memory, rank, ranks, members } = this.#context;
    const words = this.#words;
    const first = request / 4;
    words[first + REQUEST.lines] = lines;
    words[first + REQUEST.slots] = slots;
    words[first + REQUEST.ranks] = ranks;
    words[first + REQUEST.rank] = rank;
    words[first + REQUEST.sleepers] = SLEEPERS_OFFSET;
    words[first + REQUEST.maskLow] = maskOf(members, 0);
    words[first + REQUEST.maskHigh] = maskOf(members, 32);
    words[first + REQUEST.plan] = plan;
    words[plan / 4 + PLAN.tree] = memory.tree;
  }

  /** Number of the last operation that began, from 1; wraps at 2³². */
  get sequence(): number {
    return this.#sequence;
  }

  /** The reduction plan of the operation under way. */
  get plan(): number {
    return this.#turn.plan;
  }

  /** Writes down what this rank will publish; {@link attend} publishes it. */
  begin(prepared: Prepared): void {
    this.#sequence = (this.#sequence + 1) >>> 0; // bits: wraps at 2³²
    const turn = this.#turns[this.#turn === this.#turns[0] ? 1 : 0];
    this.#turn = turn;
    const first = turn.request / 4;
    this.#words[first + REQUEST.sequence] = this.#sequence;
    this.#words[first + REQUEST.published] = 0;
    if (turn.written === prepared) return;
    this.#write(prepared, turn);
    turn.written = prepared;
  }

  #write(prepared: Prepared, { request, details }: Turn): void {
    const { staging } = this.#context.memory;
    const { print, small, gives, payloadBytes } = prepared;
    const words = this.#words;
    const first = request / 4;
    words[first + REQUEST.kind] = print.kind;
    words[first + REQUEST.countLow] = print.countLow;
    words[first + REQUEST.countHighAndRoot] = print.countHighAndRoot;
    words[first + REQUEST.extra] = print.extra;
    // A small payload that this rank does not give is not copied along: address 0 says so.
    words[first + REQUEST.send] =
      small && !gives ? 0 : prepared.staged ? staging : (prepared.send ?? staging);
    words[first + REQUEST.recv] = prepared.recv ?? staging;
    words[first + REQUEST.details] = this.#writeDetails(prepared, details);
    words[first + REQUEST.payloadBytes] = small ? payloadBytes : 0;
    if (prepared.combines && prepared.byKernel) this.#writePlan(prepared);
    if (prepared.delivery !== "none") this.#writeWanted(prepared, first);
  }

  /** What of the payloads this rank wants, and where it goes. */
  #writeWanted(prepared: Prepared, first: number): void {
    const { rank, ranks } = this.#context;
    const { delivery, pattern, operation, payloadBytes } = prepared;
    const { source, byteLength } = prepared.blocks!.fetches[rank]!;
    const words = this.#words;
    words[first + REQUEST.begin] = source;
    words[first + REQUEST.end] = source + byteLength;
    if (delivery === "reduce") {
      const into = words[first + REQUEST.recv]! - source;
      const addresses = this.plan / 4 + PLAN.addresses;
      for (let r = 0; r < ranks; r++) words[addresses + r] = this.payload(r, payloadBytes);
      words.fill(into, addresses + ranks, addresses + ranks + plannedTargets(ranks, 1));
      return;
    }
    const rooted = pattern === "fetchFromRoot";
    words[first + REQUEST.first] = rooted ? operation.root : 0;
    words[first + REQUEST.last] = rooted ? operation.root + 1 : ranks;
    words[first + REQUEST.stride] = byteLength;
  }

  /** @returns address and flags, as they stand in the line */
  #writeDetails({ staged, recvOutside, operation }: Prepared, block: number): number {
    const { details, tables } = operation;
    if (details !== "" || tables !== undefined) this.#details.write(block, details, tables);
    return block + (staged ? SEND_STAGED : 0) + (recvOutside ? RECV_OUTSIDE : 0);
  }

  #writePlan({ operation }: Prepared): void {
    const { ranks } = this.#context;
    const { type, operator } = operation;
    const first = this.plan / 4;
    this.#words[first + PLAN.code] = type!.code * 256 + OP_CODES[operator!.kernel!];
    this.#words[first + PLAN.sourceCount] = ranks;
    this.#words[first + PLAN.targetCount] = plannedTargets(ranks, 1);
    this.#words[first + PLAN.ranks] = operator!.divides ? ranks : 1;
    if (operator!.details === "") return;
    const factors = new Float64Array(this.#words.buffer, this.plan + 4 * PLAN.pre, 2);
    factors[0] = operator!.preScale;
    factors[1] = operator!.postScale;
  }

  /**
   * Publishes (once) and looks for the others; then the payloads are delivered if kernels do it.
   *
   * @returns whether everybody has come
   * @throws {MismatchError} If they ask for different things.
   */
  attend(prepared: Prepared, spins: number): boolean {
    this.#words[this.#turn.request / 4 + REQUEST.spins] = spins;
    const { delivery } = prepared;
    let result = this.#exchange(delivery);
    if (result === EXCHANGE.wake) {
      this.#context.wake(this.#context.members);
      result = this.#exchange(delivery);
    }
    if (result === EXCHANGE.mismatch) throw this.#mismatch(prepared);
    return result === EXCHANGE.done;
  }

  #exchange(delivery: Delivery): number {
    const { kernels } = this.#context;
    const { request } = this.#turn;
    if (delivery === "none") return kernels.exchange(request);
    return delivery === "reduce" ? kernels.exchangeReduce(request) : kernels.exchangeFetch(request);
  }

  #mismatch({ operation }: Prepared): MismatchError {
    const { ranks, place } = this.#context;
    const requested: string[] = [];
    for (let rank = 0; rank < ranks; rank++) {
      const print = readFingerprint(this.#words, this.#turn.lines, rank);
      const details = print.extra === 0 ? "" : this.#details.text(this.#detailsOf(rank));
      requested.push(fingerprintText(print, details));
    }
    return new MismatchError(placeOf(place, operation, this.#sequence), requested);
  }

  /**
   * The blocks of an operation whose counts vary, once all ranks have met.
   *
   * @throws {MismatchError} If one rank sends another count than the other expects.
   */
  variableBlocks(prepared: Prepared): DirectBlocks {
    const turn = this.#turn;
    const isKnown = turn.variable?.prepared === prepared && this.#hasVersions(turn.variable);
    if (!isKnown) turn.variable = this.#readVariable(prepared);
    return turn.variable!.blocks;
  }

  /** Whether all ranks' tables are those that were read before. */
  #hasVersions({ versions }: VariableBlocks): boolean {
    for (let rank = 0; rank < versions.length; rank++) {
      if (this.#details.version(this.#detailsOf(rank)) !== versions[rank]) return false;
    }
    return true;
  }

  #readVariable(prepared: Prepared): VariableBlocks {
    const { rank, ranks } = this.#context;
    const blocks = Array.from({ length: ranks }, (_, r) => this.#detailsOf(r));
    const tables = blocks.map((block) => this.#details.tables(block));
    this.#checkTables(prepared, tables);
    const elementBytes = prepared.operation.type!.byteLength;
    return {
      prepared,
      versions: blocks.map((block) => this.#details.version(block)),
      blocks: variableBlocks(tables, { rank, perRank: prepared.perRank, elementBytes }),
    };
  }

  #checkTables({ operation }: Prepared, tables: readonly RankTables[]): void {
    const pairs = disagreements(tables);
    if (pairs.length === 0) return;
    const at = placeOf(this.#context.place, operation, this.#sequence);
    throw new MismatchError(at, [], disagreementTexts(pairs));
  }

  /** Byte offset of the small data that a rank has brought. */
  payload(rank: number, byteLength: number): number {
    return byteLength <= INLINE_BYTES
      ? this.#turn.lines + rank * LINE_BYTES + INLINE_OFFSET
      : this.#turn.slots + rank * SLOT_BYTES;
  }

  #line(rank: number, word: number): number {
    return this.#words[(this.#turn.lines + rank * LINE_BYTES) / 4 + word]! >>> 0; // bits: unsigned
  }

  #detailsOf(rank: number): number {
    const word = this.#line(rank, LINE.details);
    return word - (word % FLAGS);
  }

  /** Where a rank's `send` lies, or its staging blocks when it passes through them. */
  sendAddress(rank: number): number {
    return this.#line(rank, LINE.send);
  }

  /** Where a rank's `recv` lies, or its staging blocks when that is outside the segment. */
  recvAddress(rank: number): number {
    return this.#line(rank, LINE.recv);
  }

  /** Where a rank's staging blocks are. */
  stagingAddress(rank: number): number {
    return this.#details.staging(this.#detailsOf(rank));
  }

  sendStaged(rank: number): boolean {
    return this.#line(rank, LINE.details) % 2 === SEND_STAGED;
  }

  recvOutside(rank: number): boolean {
    return this.#line(rank, LINE.details) % FLAGS >= RECV_OUTSIDE;
  }

  /** The ranks that have not come. */
  missing(): number[] {
    const missing: number[] = [];
    for (let rank = 0; rank < this.#context.ranks; rank++) {
      // Safe: only compared; a rank that arrives meanwhile is merely still listed.
      const word = Atomics.load(this.#words, (this.#turn.lines + rank * LINE_BYTES) / 4);
      if ((word + WRAP) % WRAP !== this.#sequence) missing.push(rank);
    }
    return missing;
  }
}

/** The bits of members `first` to `first` + 31. */
function maskOf(members: readonly number[], first: number): number {
  let mask = 0;
  for (const member of members) {
    if (member >= first && member < first + 32) mask |= 1 << (member - first); // bits: one per rank
  }
  return mask;
}
