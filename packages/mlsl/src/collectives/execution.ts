/**
 * Runs one operation at a time of a group, as far as it can go without waiting: the ranks meet,
 * then either the data came along with the meeting (the small way), or a schedule is run.
 */

import { type ExecutionContext, Meeting } from "./meeting.js";
import type { Prepared } from "./prepared.js";
import { StepRunner } from "./stepRunner.js";

/** The operation that is under way on this rank, if any. */
export class Execution {
  readonly #context: ExecutionContext;
  readonly #meeting: Meeting;
  readonly #runner: StepRunner;
  #state: "idle" | "meeting" | "running" = "idle";
  #prepared: Prepared | undefined;

  constructor(context: ExecutionContext) {
    this.#context = context;
    this.#meeting = new Meeting(context);
    this.#runner = new StepRunner(context, this.#meeting);
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
    // What lies outside the segment must be in its staging block before the ranks meet.
    if (prepared.sendOutside || prepared.recvOutside || !prepared.small) {
      this.#runner.prepareFirst(prepared);
    }
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
      const { small, operation } = prepared;
      const reduces = small && operation.kind === "allreduce" && operation.count > 0;
      if (!this.#meeting.attend(prepared, reduces, spins)) return false;
      if (small) {
        this.#deliver(prepared);
      } else {
        this.#runner.plan();
        this.#state = "running";
      }
    }
    if (this.#state === "running" && !this.#runner.run(spins)) return false;
    this.#state = "idle";
    return true;
  }

  /** Takes the results of the small way to where the caller wants them. */
  #deliver(prepared: Prepared): void {
    const { operation, byteLength, recvOutside } = prepared;
    if (byteLength === 0) return;
    if (operation.kind === "allreduce") {
      // Reduced into recv already, or into the staging block in its place.
      if (recvOutside) this.#copyOut(prepared, 0, this.#context.memory.staging);
    } else if (operation.kind === "broadcast") {
      if (prepared.gives) return;
      this.#copyOut(prepared, 0, this.#meeting.payload(operation.root, byteLength));
    } else {
      for (let rank = 0; rank < this.#context.segment.ranks; rank++) {
        const source = this.#meeting.payload(rank, byteLength);
        this.#copyOut(prepared, rank * byteLength, source);
      }
    }
  }

  #copyOut(prepared: Prepared, position: number, source: number): void {
    this.#runner.copyOut(prepared, position, { source, byteLength: prepared.byteLength });
  }

  /** The ranks that the operation under way waits for. */
  missing(): number[] {
    return this.#state === "meeting" ? this.#meeting.missing() : this.#runner.missing();
  }
}
