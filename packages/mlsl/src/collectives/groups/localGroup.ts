/** A group whose ranks all share one segment. */

import { controlLayout } from "../../kernels/exchangeLayout.js";
import type { DataType, ElementArray } from "../../memory/dataTypes.js";
import type { Group, GroupStatistics } from "../api.js";
import { allgatherOperation, barrierOperation } from "../arguments/moves.js";
import { Execution } from "../execution/execution.js";
import type { ExecutionContext } from "../execution/meeting.js";
import { type Prepared, prepare } from "../execution/prepared.js";
import { CollectiveQueue } from "../execution/queue.js";
import { MessageChannel } from "../messages/messageChannel.js";
import { type MessageContext, recvTask, sendrecvTask, sendTask } from "../messages/messageTasks.js";
import { chosen } from "../operations/choice.js";
import { type Operation, withName } from "../operations/operation.js";
import type {
  AlgorithmOptions,
  OrderOptions,
  RecvOptions,
  SendOptions,
  SendrecvOptions,
  WaitOptions,
} from "../options.js";
import type { Counters } from "../requests/channel.js";
import type { Progress } from "../requests/progress.js";
import { Reuse } from "../requests/reuse.js";
import { type CollectiveContext, CollectiveTask, type Task } from "../requests/task.js";
import { piecesOf } from "../workers/pieces.js";
import { isByUser } from "../workers/plans.js";
import { UserChannel, UserTask } from "../workers/userChannel.js";
import { WorkerChannel } from "../workers/workerChannel.js";
import { WorkerTask } from "../workers/workerTask.js";
import { convert } from "./convert.js";
import { type GroupBlocks, takeFor } from "./groupMemory.js";
import { controlOf, type Host } from "./host.js";
import { MessageForms } from "./messageForms.js";
import type { Call } from "./operationForms.js";
import {
  checkMembership,
  checkRankList,
  checkSameLists,
  listOf,
  type Membership,
  membershipIn,
  membersOf,
} from "./split.js";

/** What a local group is made of. */
export interface LocalGroupOptions {
  readonly name: string;
  readonly host: Host;
  /** This rank in the group. */
  readonly rank: number;
  /** The host's number of each rank of the group. */
  readonly members: readonly number[];
  /**
   * The group's number, the same on every rank: it tells where the control block is, which is zeroed.
   */
  readonly id: number;
  /** This rank's own blocks. */
  readonly blocks: GroupBlocks;
  readonly timeoutMs: number;
}

/** Operations that a longer one consists of, run one after the other, and what it comes to. */
type Steps<T> = Generator<Operation, T, void>;

/** See {@link Group}. */
export class LocalGroup extends MessageForms implements Group {
  readonly name: string;
  readonly rank: number;
  readonly ranks: number;
  readonly timeoutMs: number;
  protected readonly progress: Progress;
  readonly #options: LocalGroupOptions;
  readonly #context: ExecutionContext;
  readonly #counters: Counters = { operations: 0, bytes: 0, exposedMs: 0 };
  readonly #queue: CollectiveQueue;
  readonly #messages: MessageChannel;
  readonly #reuse = new Reuse();
  /** Of the operations that callers start; what the group does for itself may come later. */
  readonly #open: CollectiveContext;
  /** What progress workers carry out; undefined if there are none. */
  #workers: WorkerChannel | undefined;
  /** What this rank's thread carries out after a meeting through them. */
  #users: UserChannel | undefined;
  /** How many groups were made of this one: all ranks count alike, so it names them. */
  #made = 0;
  #state: "open" | "closing" | "closed" = "open";

  constructor(options: LocalGroupOptions) {
    super();
    const { name, host, rank, members, id, blocks, timeoutMs } = options;
    this.name = name;
    this.rank = rank;
    this.ranks = members.length;
    this.timeoutMs = timeoutMs;
    this.progress = host.progress;
    this.#options = options;
    const memory = { ...blocks, control: controlLayout(controlOf(id), members.length) };
    const place = { group: name, rank };
    this.#context = { ...host.context, memory, place, rank, ranks: members.length, members };
    this.#queue = new CollectiveQueue(this.#context, new Execution(this.#context), this.#counters);
    this.#messages = new MessageChannel(this.#context, this.#counters);
    const checkOpen = () => this.#checkOpen("start an operation");
    this.#open = { progress: this.progress, queue: this.#queue, checkOpen };
    const { driver } = host;
    if (driver === undefined) return;
    const [context, queue, counters] = [this.#context, this.#queue, this.#counters];
    this.#workers = new WorkerChannel({ context, driver, id, counters, queue });
    this.#users = new UserChannel(this.#workers, queue);
  }

  get statistics(): GroupStatistics {
    return { ...this.#counters };
  }

  allocate<T extends DataType>(type: T, count: number): ElementArray<T> {
    return this.#options.host.allocate(type, count);
  }

  free(array: ElementArray): void {
    this.#options.host.free(array);
  }

  convert(source: ElementArray, target: ElementArray): void {
    this.progress.checkBuffers(() => "convert", source, target);
    convert(this.#context, source, target);
  }

  protected collective(call: Call, build: () => Operation): Task {
    this.#checkOpen(call.kind);
    const same = this.#reuse.find(call);
    if (same !== undefined) return same;
    const operation = withName(this.#chosen(call, build()), call.options);
    const prepared = prepare(operation, this.#context.segment, this);
    const task = this.#taskOf(prepared, call.options, this.#open.checkOpen);
    this.#reuse.keep(call, prepared, task);
    return task;
  }

  /** With workers ranks meet through them, whoever carries an operation out. */
  #taskOf(prepared: Prepared, options: WaitOptions | undefined, checkOpen: () => void): Task {
    const timeoutMs = options?.timeoutMs ?? this.timeoutMs;
    const { progress } = this;
    if (this.#workers === undefined) {
      return new CollectiveTask({ progress, queue: this.#queue, checkOpen }, prepared, timeoutMs);
    }
    const { name, priority } = (options ?? {}) as OrderOptions;
    const choices = { timeoutMs, name, priority };
    if (isByUser(prepared.operation)) {
      return new UserTask({ progress, channel: this.#users!, checkOpen }, prepared, choices);
    }
    const context = { progress, channel: this.#workers, checkOpen };
    const pieces = piecesOf(prepared, this.#context.segment, this);
    return new WorkerTask(context, prepared, pieces, choices);
  }

  #chosen({ options }: Call, operation: Operation): Operation {
    const isNamed = (options as AlgorithmOptions | undefined)?.algorithm !== undefined;
    return isNamed ? operation : chosen(operation, this.ranks, this.#options.host.choices);
  }

  #stepTask(operation: Operation): Task {
    return this.#taskOf(prepare(operation, this.#context.segment, this), undefined, () => {});
  }

  #messageContext(kind: string): MessageContext {
    this.#checkOpen(kind);
    const { rank, ranks, timeoutMs, progress } = this;
    const { checkOpen } = this.#open;
    return { rank, ranks, timeoutMs, progress, checkOpen, channel: this.#messages };
  }

  protected sending(buffer: ElementArray, options: SendOptions): Task {
    return sendTask(this.#messageContext("send"), buffer, options);
  }

  protected receiving(buffer: ElementArray, options: RecvOptions): Task {
    return recvTask(this.#messageContext("recv"), buffer, options);
  }

  protected exchanging(send: ElementArray, recv: ElementArray, options: SendrecvOptions): Task {
    return sendrecvTask(this.#messageContext("sendrecv"), { send, recv }, options);
  }

  #checkOpen(kind: string): void {
    if (this.#state === "open") return;
    throw new TypeError(`Cannot ${kind}: group "${this.name}" was closed`);
  }

  async #run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      try {
        await this.promise(this.#stepTask(step.value));
      } catch (error) {
        steps.throw(error);
      }
    }
  }

  #runSync<T>(steps: Steps<T>): T {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      try {
        this.block(this.#stepTask(step.value));
      } catch (error) {
        steps.throw(error);
      }
    }
  }

  split(color: number, key = 0): Promise<LocalGroup | undefined> {
    return this.#run(this.#splitSteps(color, key));
  }

  splitSync(color: number, key = 0): LocalGroup | undefined {
    return this.#runSync(this.#splitSteps(color, key));
  }

  *#splitSteps(color: number, key: number): Steps<LocalGroup | undefined> {
    this.#checkOpen("split");
    checkMembership({ color, key });
    const all = new Float64Array(2 * this.ranks);
    yield allgatherOperation(Float64Array.of(color, key), all, this);
    const asked: Membership[] = Array.from({ length: this.ranks }, (_, r) => {
      return { color: all[2 * r]!, key: all[2 * r + 1]! };
    });
    const name = `${this.name}/${++this.#made}${color === -1 ? "" : `.${color}`}`;
    return yield* this.#makeSteps(name, membersOf(asked, this.rank));
  }

  subgroup(ranks: readonly number[]): Promise<LocalGroup | undefined> {
    return this.#run(this.#subgroupSteps(ranks));
  }

  subgroupSync(ranks: readonly number[]): LocalGroup | undefined {
    return this.#runSync(this.#subgroupSteps(ranks));
  }

  *#subgroupSteps(list: readonly number[]): Steps<LocalGroup | undefined> {
    this.#checkOpen("make a subgroup");
    checkRankList(list, this.ranks);
    const { ranks } = this;
    const all = new Float64Array(ranks * ranks);
    yield allgatherOperation(
      Float64Array.from({ length: ranks }, (_, r) => list.indexOf(r)),
      all,
      this,
    );
    const listed = Array.from({ length: ranks }, (_, r) => {
      return Array.from(all.subarray(r * ranks, (r + 1) * ranks));
    });
    checkSameLists(listed);
    const asked = listed.map((_, r) => membershipIn(listOf(listed[r]!), r));
    const name = `${this.name}/${++this.#made}`;
    return yield* this.#makeSteps(name, membersOf(asked, this.rank));
  }

  /** Takes the memory of a new group, and hears whether the other ranks got theirs. */
  *#makeSteps(name: string, ranks: readonly number[]): Steps<LocalGroup | undefined> {
    const { host, members, timeoutMs } = this.#options;
    host.leftGroups.sweep();
    const rank = ranks.indexOf(this.rank);
    const taken = takeFor(host.context, { rank, ranks: ranks.length });
    const offsets = new Float64Array(this.ranks);
    const own = taken.failure === undefined ? host.groupNumber(taken.control) : -1;
    yield allgatherOperation(Float64Array.of(own), offsets, this);
    const failed = ranks.filter((r) => offsets[r] === -1);
    if (failed.length > 0) {
      taken.free();
      throw (
        taken.failure ??
        new Error(`Cannot make group "${name}": rank ${failed[0]} has no memory for it`)
      );
    }
    if (rank === -1) return undefined;
    return new LocalGroup({
      name,
      host,
      rank,
      members: ranks.map((r) => members[r]!),
      id: offsets[ranks[0]!]!,
      blocks: taken.blocks!,
      timeoutMs,
    });
  }

  get #isIdle(): boolean {
    const ofWorkers = this.#workers === undefined || (this.#workers.idle && this.#users!.idle);
    return ofWorkers && this.#queue.idle && this.#messages.idle;
  }

  close(): Promise<void> {
    return this.#run(this.#closeSteps());
  }

  closeSync(): void {
    this.#runSync(this.#closeSteps());
  }

  *#closeSteps(): Steps<void> {
    if (this.#state !== "open") return;
    const { name } = this.#options;
    if (name === "world") throw new TypeError("Cannot close the world: it ends with the job");
    if (!this.#isIdle) {
      throw new TypeError(
        `Cannot close group "${name}": operations are pending; wait for them first`,
      );
    }
    this.#state = "closing";
    try {
      if (this.#queue.closedBy === undefined) yield barrierOperation();
    } finally {
      this.#state = "closed";
      this.#leave();
    }
  }

  /** Gives the memory back, as far as nobody may still look at it. */
  #leave(): void {
    const { id, host, blocks } = this.#options;
    const { segment, memory } = this.#context;
    const freeControl = (): void => {
      if (this.rank === 0) segment.freeBytes(controlOf(id));
    };
    this.#workers?.close();
    const freeOwn = (): void => {
      this.#messages.free();
      blocks.free();
    };
    const after = { left: memory.control.left, ranks: this.ranks };
    if (this.#queue.closedBy === undefined) {
      // All have come to the last meeting, so nobody reads this rank's blocks any more.
      freeOwn();
      host.leftGroups.leave({ ...after, free: freeControl });
    } else {
      // Ranks of a group that has failed may still be at work on this rank's blocks, and look at
      // the count of those that have left.
      host.leftGroups.leave({ ...after, free: freeOwn });
    }
  }
}
