/**
 * Runs one operation at a time of a group, as far as it can go without waiting: the ranks meet,
 * then either the data came along with the meeting (the small way), or a schedule is run.
 */

import { viewOf } from "../../memory/dataTypes.js";
import { DIRECT } from "../operations/algorithms.js";
import { copyIntoStaging, copyOut } from "./copies.js";
import { DirectRunner } from "./directRunner.js";
import { type ExecutionContext, Meeting } from "./meeting.js";
import { MessageRunner } from "./messageRunner.js";
import { PhaseClock } from "./phaseClock.js";
import type { Prepared } from "./prepared.js";
import { reduceByUser } from "./userReduction.js";

/** The operation that is under way on this rank, if any. */
export class Execution {
  readonly #context: ExecutionContext;
  readonly #meeting: Meeting;
  readonly #clock: PhaseClock;
  readonly #direct: DirectRunner;
  readonly #messages: MessageRunner;
  #state: "idle" | "meeting" | "running" = "idle";
  #prepared: Prepared | undefined;

  constructor(context: ExecutionContext) {
    this.#context = context;
    this.#meeting = new Meeting(context);
    this.#clock = new PhaseClock(context);
    this.#direct = new DirectRunner(context, this.#meeting, this.#clock);
    this.#messages = new MessageRunner(context, this.#meeting, this.#clock);
  }

  /** Number of the operation under way or of the last one, from 1. */
  get sequence(): number {
    return this.#meeting.sequence;
  }

  /** Begins an operation; none may be under way. */
  begin(prepared: Prepared): void {
    this.#prepared = prepared;
    this.#state = "meeting";
    this.#meeting.begin(prepared);
    // What passes through staging blocks must be there before the ranks meet.
    if (!prepared.staged) return;
    if (prepared.small) this.#stageWhole(prepared);
    else if (isDirect(prepared)) this.#direct.prepareFirst(prepared);
  }

  #stageWhole({ operation, payloadBytes }: Prepared): void {
    const target = this.#context.memory.staging;
    copyIntoStaging(this.#context, operation, { source: 0, target, byteLength: payloadBytes });
  }

  /**
   * Goes on as far as possible without waiting longer than `spins` looks.
   *
   * @returns whether the operation has completed
   * @throws {MismatchError} If the ranks ask for different things.
   */
  progress(spins: number): boolean {
    if (this.#state === "meeting") {
      const prepared = this.#prepared!;
      if (!this.#meeting.attend(prepared, spins)) return false;
      if (prepared.small) {
        if (prepared.gets && prepared.delivery !== "fetch") this.#deliver(prepared);
      } else {
        this.#runner(prepared).plan(prepared);
        this.#state = "running";
      }
    }
    if (this.#state === "running" && !this.#runner(this.#prepared!).run(spins)) return false;
    this.#state = "idle";
    return true;
  }

  #runner(prepared: Prepared): DirectRunner | MessageRunner {
    return isDirect(prepared) ? this.#direct : this.#messages;
  }

  /** Takes the results of the small way to where the caller wants them. */
  #deliver(prepared: Prepared): void {
    const { combines, byKernel, recvOutside, pattern, operation } = prepared;
    if (combines) {
      if (!byKernel) this.#reduceByUser(prepared);
      // Reduced into recv already, or into the staging block in its place.
      else if (recvOutside) this.#copyOut(prepared, this.#context.memory.staging, 0);
    } else if (pattern === "fetchFromRoot") {
      this.#fetch(prepared, operation.root);
    } else {
      for (let rank = 0; rank < this.#context.ranks; rank++) this.#fetch(prepared, rank);
    }
  }

  #fetch(prepared: Prepared, from: number): void {
    const { source, target } = prepared.blocks!.fetches[from]!;
    const payload = this.#meeting.payload(from, prepared.payloadBytes);
    this.#copyOut(prepared, payload + source, target);
  }

  #copyOut(prepared: Prepared, source: number, target: number): void {
    copyOut(this.#context, prepared, { source, target, byteLength: prepared.blocks!.longest });
  }

  #reduceByUser({ operation, blocks, payloadBytes }: Prepared): void {
    const { rank, ranks, segment } = this.#context;
    const { type, operator, recv } = operation;
    const { source, byteLength } = blocks!.fetches[rank]!;
    const sources = Array.from({ length: ranks }, (_, r) => {
      const address = this.#meeting.payload(r, payloadBytes) + source;
      return viewOf(type!.name, segment.buffer, address, byteLength / type!.byteLength);
    });
    reduceByUser(operator!.user!, sources, [recv!]);
  }

  /** The ranks that the operation under way waits for. */
  missing(): number[] {
    if (this.#state === "meeting") return this.#meeting.missing();
    return this.#runner(this.#prepared!).missing();
  }
}

function isDirect({ operation }: Prepared): boolean {
  return operation.algorithm === DIRECT;
}
