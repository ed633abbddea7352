/**
 * Executes schedules of messages on the buffers that the ranks brought to a meeting.
 *
 * Where all buffers lie in the segment the schedule runs on them as they are. Otherwise the operation
 * passes through the staging blocks piece by piece: each rank copies a piece of its data there, the
 * schedule runs on the pieces, each rank copies its result out, and all meet before the next.
 */

import { PLAN } from "../../kernels/exchangeLayout.js";
import { OP_CODES } from "../../kernels/kernels.js";
import { viewOf } from "../../memory/dataTypes.js";
import {
  type BufferAddresses,
  SharedPrograms,
  type SharedStep,
} from "../../schedules/sharedProgram.js";
import { buildSchedule } from "../../schedules/transport/registry.js";
import type { RootedShape } from "../../schedules/transport/shapes.js";
import type { TransportSchedule } from "../../schedules/transport/steps.js";
import type { MessageKind } from "../operations/algorithms.js";
import { copyIntoStaging, copyOut } from "./copies.js";
import type { ExecutionContext, Meeting } from "./meeting.js";
import { type Piece, type PieceShape, pieceShape } from "./messagePieces.js";
import type { PhaseClock } from "./phaseClock.js";
import type { Prepared } from "./prepared.js";
import { reduceByUser } from "./userReduction.js";

/** What a rank is at in a piece. */
type Stage = "copyIn" | "steps" | "copyOut";

/** Runs one operation's schedule at a time. */
export class MessageRunner {
  readonly #context: ExecutionContext;
  readonly #meeting: Meeting;
  readonly #clock: PhaseClock;
  #prepared: Prepared | undefined;
  #shape: PieceShape | undefined;
  #addresses: readonly BufferAddresses[] = [];
  #piece = 0;
  #stage: Stage = "copyIn";
  #program: readonly SharedStep[] = [];
  #next = 0;
  /** Phase of all ranks when the piece's first step may begin. */
  #start = 0;
  /** Steps of the longest schedule of a piece. */
  #longest = 0;

  constructor(context: ExecutionContext, meeting: Meeting, clock: PhaseClock) {
    this.#context = context;
    this.#meeting = meeting;
    this.#clock = clock;
  }

  /** Chooses the pieces, now that it is known whose buffers lie outside the segment. */
  plan(prepared: Prepared): void {
    const { memory, ranks } = this.#context;
    this.#prepared = prepared;
    const roomBytes = 2 * memory.chunkBytes;
    const inside = !this.#anyOutside();
    this.#shape = pieceShape(prepared, { ranks, roomBytes, inside }, (rank, count) =>
      this.#schedule(rank, count),
    );
    this.#piece = 0;
    this.#stage = "copyIn";
  }

  #anyOutside(): boolean {
    for (let rank = 0; rank < this.#context.ranks; rank++) {
      if (this.#meeting.sendStaged(rank) || this.#meeting.recvOutside(rank)) return true;
    }
    return false;
  }

  #schedule(rank: number, count: number): TransportSchedule {
    const { kind, algorithm, root } = this.#prepared!.operation;
    const shape: RootedShape = { rank, ranks: this.#context.ranks, root, count };
    // Collectives without a root or a count take no notice of them.
    return buildSchedule(kind as MessageKind, algorithm.name, shape);
  }

  /** Runs until all is done (true) or a step must wait (false). */
  run(spins: number): boolean {
    while (this.#piece < this.#shape!.pieces.length) {
      const piece = this.#shape!.pieces[this.#piece]!;
      if (this.#stage === "copyIn") this.#begin(piece);
      if (this.#stage === "steps" && !this.#runSteps(spins)) return false;
      // Nobody leaves a piece before nobody reads from this rank any more.
      if (!this.#clock.sync(spins)) return false;
      this.#copyOut(piece);
      this.#piece++;
      this.#stage = "copyIn";
    }
    return true;
  }

  #begin(piece: Piece): void {
    const { ranks, rank } = this.#context;
    const { operation } = this.#prepared!;
    const schedules = Array.from({ length: ranks }, (_, r) => this.#schedule(r, piece.count));
    this.#addresses = Array.from({ length: ranks }, (_, r) => this.#addressesOf(r, piece));
    const elementBytes = operation.type?.byteLength ?? 1;
    const programs = new SharedPrograms(schedules, this.#addresses, elementBytes);
    this.#program = programs.programOf(rank);
    this.#longest = programs.longest;
    this.#next = 0;
    this.#copyIn(piece);
    // Others read this rank's data only when they see this step.
    this.#clock.advance(1);
    this.#start = this.#clock.phase;
    this.#stage = "steps";
  }

  #addressesOf(rank: number, piece: Piece): BufferAddresses {
    const meeting = this.#meeting;
    const { staged, sendBytes, recvBytes } = this.#shape!;
    const staging = meeting.stagingAddress(rank);
    if (staged) {
      const recv = staging + sendBytes;
      return { send: staging, recv, scratch: recv + recvBytes };
    }
    const { begin } = piece;
    return {
      send: meeting.sendAddress(rank) + begin,
      recv: meeting.recvAddress(rank) + begin,
      scratch: staging,
    };
  }

  #copyIn(piece: Piece): void {
    if (!this.#shape!.staged) return;
    const { operation, gives } = this.#prepared!;
    if (!gives) return;
    const { send, recv } = this.#addresses[this.#context.rank]!;
    const target = operation.kind === "broadcast" ? recv : send;
    for (const { whole, part, byteLength } of piece.sendBlocks) {
      copyIntoStaging(this.#context, operation, {
        source: whole,
        target: target + part,
        byteLength,
      });
    }
  }

  #runSteps(spins: number): boolean {
    while (this.#next < this.#program.length) {
      const step = this.#program[this.#next]!;
      for (const { rank, steps } of step.waits) {
        if (!this.#clock.hasReached(rank, this.#start + steps, spins)) return false;
      }
      this.#act(step);
      this.#next++;
      this.#clock.advance(1);
    }
    // All ranks end the piece at the same phase, however many steps they have.
    const behind = this.#longest - this.#program.length;
    if (behind > 0) this.#clock.advance(behind);
    this.#stage = "copyOut";
    return true;
  }

  #act({ action, source, target, byteLength }: SharedStep): void {
    if (action === "none" || byteLength === 0) return;
    if (action === "copy") this.#context.kernels.copy(target, source, byteLength);
    else
      this.#combine(action === "before" ? [source, target] : [target, source], target, byteLength);
  }

  #combine(sources: readonly [number, number], target: number, byteLength: number): void {
    const { operator, type } = this.#prepared!.operation;
    if (operator!.user !== undefined) {
      const count = byteLength / type!.byteLength;
      const view = (address: number) =>
        viewOf(type!.name, this.#context.segment.buffer, address, count);
      reduceByUser(operator!.user, sources.map(view), [view(target)]);
      return;
    }
    // An average is a sum until the end.
    const kernel = operator!.divides ? "sum" : operator!.kernel!;
    this.#reduce(OP_CODES[kernel], sources, { target, byteLength });
  }

  /** Combines one or two sources into a target. */
  #reduce(
    code: number,
    sources: readonly number[],
    { target, byteLength }: { target: number; byteLength: number },
  ): void {
    const { kernels, memory, segment, ranks } = this.#context;
    const plan = memory.pairPlan;
    const first = plan / 4;
    segment.words[first + PLAN.code] = this.#prepared!.operation.type!.code * 256 + code;
    segment.words[first + PLAN.sourceCount] = sources.length;
    // As many targets as sources: such plans have the fastest loops.
    segment.words[first + PLAN.targetCount] = sources.length;
    segment.words[first + PLAN.ranks] = ranks;
    segment.words[first + PLAN.tree] = memory.pairTree;
    sources.forEach((source, i) => {
      segment.words[first + PLAN.addresses + i] = source;
      segment.words[first + PLAN.addresses + sources.length + i] = target;
    });
    kernels.reduce(plan, 0, byteLength);
  }

  #copyOut(piece: Piece): void {
    const prepared = this.#prepared!;
    const { operation, gets } = prepared;
    if (!gets) return;
    const { recv } = this.#addresses[this.#context.rank]!;
    for (const { whole, part, byteLength } of piece.recvBlocks) {
      const source = recv + (this.#shape!.staged ? part : whole - piece.begin);
      if (operation.operator?.divides === true) {
        this.#reduce(OP_CODES.average, [source], { target: source, byteLength });
      }
      if (this.#shape!.staged)
        copyOut(this.#context, prepared, { source, target: whole, byteLength });
    }
  }

  /** The ranks that the next step waits for. */
  missing(): number[] {
    const step = this.#program[this.#next];
    if (step === undefined) return this.#clock.behind(this.#clock.phase);
    return step.waits
      .filter(({ rank, steps }) => !this.#clock.hasReached(rank, this.#start + steps, 0))
      .map(({ rank }) => rank);
  }
}
