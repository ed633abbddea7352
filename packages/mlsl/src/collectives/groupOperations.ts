/** The four forms of every operation. Each is the same task, waited for in another way. */

import type { ElementArray } from "../memory/dataTypes.js";
import {
  allgatherOperation,
  alltoallOperation,
  barrierOperation,
  broadcastOperation,
  gatherOperation,
  scatterOperation,
} from "./arguments/moves.js";
import {
  allreduceOperation,
  reduceOperation,
  reduceScatterOperation,
  reduceScattervOperation,
} from "./arguments/reductions.js";
import {
  allgathervOperation,
  alltoallvOperation,
  gathervOperation,
  scattervOperation,
} from "./arguments/variable.js";
import type { Task } from "./collectiveTask.js";
import type { CollectiveKind, Operation } from "./operation.js";
import type {
  AlgorithmOptions,
  BlockOptions,
  ExchangeOptions,
  RecvOptions,
  ReduceBlockOptions,
  ReducedInto,
  ReduceOptions,
  ReduceRootOptions,
  RootBlockOptions,
  RootOptions,
  SendOptions,
  SendrecvOptions,
  WaitOptions,
} from "./options.js";
import type { Progress } from "./progress.js";
import {
  LocalPersistentRequest,
  LocalRequest,
  type PersistentRequest,
  type Request,
  throwFailure,
} from "./requests.js";

type Buffer = ElementArray | undefined;

/** What a collective is called with; equal calls may share what was prepared. */
export interface Call {
  readonly kind: CollectiveKind;
  readonly send: Buffer;
  readonly recv: Buffer;
  readonly options: WaitOptions | undefined;
}

/** The forms of all operations, on top of tasks. */
export abstract class GroupOperations {
  abstract readonly rank: number;
  abstract readonly ranks: number;
  /** What moves this rank's operations on. */
  protected abstract readonly progress: Progress;

  /** The task of a collective: that of an equal call before, or of the operation that is built. */
  protected abstract collective(call: Call, build: () => Operation): Task;
  protected abstract sending(buffer: ElementArray, options: SendOptions): Task;
  protected abstract receiving(buffer: ElementArray, options: RecvOptions): Task;
  protected abstract exchanging(
    send: ElementArray,
    recv: ElementArray,
    options: SendrecvOptions,
  ): Task;

  protected async promise(task: Task): Promise<void> {
    const entry = task.newEntry();
    task.start(entry, true);
    await this.progress.wait([entry]);
    throwFailure(entry);
  }

  protected block(task: Task): void {
    const entry = task.newEntry();
    task.start(entry, false);
    this.progress.waitSync([entry]);
    throwFailure(entry);
  }

  #begin(task: Task): Request {
    const entry = task.newEntry();
    task.start(entry, true);
    return new LocalRequest(this.progress, entry);
  }

  #build(task: Task): PersistentRequest {
    const entry = task.newEntry();
    const start = () => task.start(entry, true);
    return new LocalPersistentRequest({ progress: this.progress, entry, start });
  }

  #allreduceTask(send: ElementArray, recv: ElementArray, options?: ReduceOptions): Task {
    return this.collective({ kind: "allreduce", send, recv, options }, () =>
      allreduceOperation(send, recv, options),
    );
  }

  allreduce<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Promise<void> {
    return this.promise(this.#allreduceTask(send, recv, options));
  }

  allreduceSync<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): void {
    this.block(this.#allreduceTask(send, recv, options));
  }

  allreduceStart<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Request {
    return this.#begin(this.#allreduceTask(send, recv, options));
  }

  allreducePersistent<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): PersistentRequest {
    return this.#build(this.#allreduceTask(send, recv, options));
  }

  #reduceTask(send: ElementArray, recv: Buffer, options?: ReduceRootOptions): Task {
    return this.collective({ kind: "reduce", send, recv, options }, () =>
      reduceOperation(send, recv, this, options),
    );
  }

  reduce<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): Promise<void> {
    return this.promise(this.#reduceTask(send, recv, options));
  }

  reduceSync<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): void {
    this.block(this.#reduceTask(send, recv, options));
  }

  reduceStart<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): Request {
    return this.#begin(this.#reduceTask(send, recv, options));
  }

  reducePersistent<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): PersistentRequest {
    return this.#build(this.#reduceTask(send, recv, options));
  }

  #reduceScatterTask(send: ElementArray, recv: ElementArray, options?: ReduceOptions): Task {
    return this.collective({ kind: "reduceScatter", send, recv, options }, () =>
      reduceScatterOperation(send, recv, this, options),
    );
  }

  reduceScatter<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Promise<void> {
    return this.promise(this.#reduceScatterTask(send, recv, options));
  }

  reduceScatterSync<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): void {
    this.block(this.#reduceScatterTask(send, recv, options));
  }

  reduceScatterStart<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Request {
    return this.#begin(this.#reduceScatterTask(send, recv, options));
  }

  reduceScatterPersistent<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): PersistentRequest {
    return this.#build(this.#reduceScatterTask(send, recv, options));
  }

  #reduceScattervTask(send: ElementArray, recv: ElementArray, options: ReduceBlockOptions): Task {
    return this.collective({ kind: "reduceScatterv", send, recv, options }, () =>
      reduceScattervOperation(send, recv, this, options),
    );
  }

  reduceScatterv<A extends ElementArray, O extends ReduceBlockOptions = ReduceBlockOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options: O,
  ): Promise<void> {
    return this.promise(this.#reduceScattervTask(send, recv, options));
  }

  reduceScattervSync<A extends ElementArray, O extends ReduceBlockOptions = ReduceBlockOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options: O,
  ): void {
    this.block(this.#reduceScattervTask(send, recv, options));
  }

  reduceScattervStart<A extends ElementArray, O extends ReduceBlockOptions = ReduceBlockOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options: O,
  ): Request {
    return this.#begin(this.#reduceScattervTask(send, recv, options));
  }

  reduceScattervPersistent<
    A extends ElementArray,
    O extends ReduceBlockOptions = ReduceBlockOptions,
  >(send: A, recv: ReducedInto<A, O>, options: O): PersistentRequest {
    return this.#build(this.#reduceScattervTask(send, recv, options));
  }

  #broadcastTask(buffer: ElementArray, options?: RootOptions): Task {
    return this.collective({ kind: "broadcast", send: buffer, recv: buffer, options }, () =>
      broadcastOperation(buffer, this, options),
    );
  }

  broadcast(buffer: ElementArray, options?: RootOptions): Promise<void> {
    return this.promise(this.#broadcastTask(buffer, options));
  }

  broadcastSync(buffer: ElementArray, options?: RootOptions): void {
    this.block(this.#broadcastTask(buffer, options));
  }

  broadcastStart(buffer: ElementArray, options?: RootOptions): Request {
    return this.#begin(this.#broadcastTask(buffer, options));
  }

  broadcastPersistent(buffer: ElementArray, options?: RootOptions): PersistentRequest {
    return this.#build(this.#broadcastTask(buffer, options));
  }

  #allgatherTask(send: ElementArray, recv: ElementArray, options?: AlgorithmOptions): Task {
    return this.collective({ kind: "allgather", send, recv, options }, () =>
      allgatherOperation(send, recv, this, options),
    );
  }

  allgather<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Promise<void> {
    return this.promise(this.#allgatherTask(send, recv, options));
  }

  allgatherSync<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): void {
    this.block(this.#allgatherTask(send, recv, options));
  }

  allgatherStart<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Request {
    return this.#begin(this.#allgatherTask(send, recv, options));
  }

  allgatherPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options?: AlgorithmOptions,
  ): PersistentRequest {
    return this.#build(this.#allgatherTask(send, recv, options));
  }

  #allgathervTask(send: ElementArray, recv: ElementArray, options: BlockOptions): Task {
    return this.collective({ kind: "allgatherv", send, recv, options }, () =>
      allgathervOperation(send, recv, this, options),
    );
  }

  allgatherv<A extends ElementArray>(send: A, recv: A, options: BlockOptions): Promise<void> {
    return this.promise(this.#allgathervTask(send, recv, options));
  }

  allgathervSync<A extends ElementArray>(send: A, recv: A, options: BlockOptions): void {
    this.block(this.#allgathervTask(send, recv, options));
  }

  allgathervStart<A extends ElementArray>(send: A, recv: A, options: BlockOptions): Request {
    return this.#begin(this.#allgathervTask(send, recv, options));
  }

  allgathervPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options: BlockOptions,
  ): PersistentRequest {
    return this.#build(this.#allgathervTask(send, recv, options));
  }

  #gatherTask(send: ElementArray, recv: Buffer, options?: RootOptions): Task {
    return this.collective({ kind: "gather", send, recv, options }, () =>
      gatherOperation(send, recv, this, options),
    );
  }

  gather<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootOptions,
  ): Promise<void> {
    return this.promise(this.#gatherTask(send, recv, options));
  }

  gatherSync<A extends ElementArray>(send: A, recv: A | undefined, options?: RootOptions): void {
    this.block(this.#gatherTask(send, recv, options));
  }

  gatherStart<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootOptions,
  ): Request {
    return this.#begin(this.#gatherTask(send, recv, options));
  }

  gatherPersistent<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootOptions,
  ): PersistentRequest {
    return this.#build(this.#gatherTask(send, recv, options));
  }

  #gathervTask(send: ElementArray, recv: Buffer, options?: RootBlockOptions): Task {
    return this.collective({ kind: "gatherv", send, recv, options }, () =>
      gathervOperation(send, recv, this, options),
    );
  }

  gatherv<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): Promise<void> {
    return this.promise(this.#gathervTask(send, recv, options));
  }

  gathervSync<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): void {
    this.block(this.#gathervTask(send, recv, options));
  }

  gathervStart<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): Request {
    return this.#begin(this.#gathervTask(send, recv, options));
  }

  gathervPersistent<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): PersistentRequest {
    return this.#build(this.#gathervTask(send, recv, options));
  }

  #scatterTask(send: Buffer, recv: ElementArray, options?: RootOptions): Task {
    return this.collective({ kind: "scatter", send, recv, options }, () =>
      scatterOperation(send, recv, this, options),
    );
  }

  scatter<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootOptions,
  ): Promise<void> {
    return this.promise(this.#scatterTask(send, recv, options));
  }

  scatterSync<A extends ElementArray>(send: A | undefined, recv: A, options?: RootOptions): void {
    this.block(this.#scatterTask(send, recv, options));
  }

  scatterStart<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootOptions,
  ): Request {
    return this.#begin(this.#scatterTask(send, recv, options));
  }

  scatterPersistent<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootOptions,
  ): PersistentRequest {
    return this.#build(this.#scatterTask(send, recv, options));
  }

  #scattervTask(send: Buffer, recv: ElementArray, options?: RootBlockOptions): Task {
    return this.collective({ kind: "scatterv", send, recv, options }, () =>
      scattervOperation(send, recv, this, options),
    );
  }

  scatterv<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): Promise<void> {
    return this.promise(this.#scattervTask(send, recv, options));
  }

  scattervSync<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): void {
    this.block(this.#scattervTask(send, recv, options));
  }

  scattervStart<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): Request {
    return this.#begin(this.#scattervTask(send, recv, options));
  }

  scattervPersistent<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): PersistentRequest {
    return this.#build(this.#scattervTask(send, recv, options));
  }

  #alltoallTask(send: ElementArray, recv: ElementArray, options?: AlgorithmOptions): Task {
    return this.collective({ kind: "alltoall", send, recv, options }, () =>
      alltoallOperation(send, recv, this, options),
    );
  }

  alltoall<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Promise<void> {
    return this.promise(this.#alltoallTask(send, recv, options));
  }

  alltoallSync<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): void {
    this.block(this.#alltoallTask(send, recv, options));
  }

  alltoallStart<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Request {
    return this.#begin(this.#alltoallTask(send, recv, options));
  }

  alltoallPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options?: AlgorithmOptions,
  ): PersistentRequest {
    return this.#build(this.#alltoallTask(send, recv, options));
  }

  #alltoallvTask(send: ElementArray, recv: ElementArray, options: ExchangeOptions): Task {
    return this.collective({ kind: "alltoallv", send, recv, options }, () =>
      alltoallvOperation(send, recv, this, options),
    );
  }

  alltoallv<A extends ElementArray>(send: A, recv: A, options: ExchangeOptions): Promise<void> {
    return this.promise(this.#alltoallvTask(send, recv, options));
  }

  alltoallvSync<A extends ElementArray>(send: A, recv: A, options: ExchangeOptions): void {
    this.block(this.#alltoallvTask(send, recv, options));
  }

  alltoallvStart<A extends ElementArray>(send: A, recv: A, options: ExchangeOptions): Request {
    return this.#begin(this.#alltoallvTask(send, recv, options));
  }

  alltoallvPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options: ExchangeOptions,
  ): PersistentRequest {
    return this.#build(this.#alltoallvTask(send, recv, options));
  }

  #barrierTask(options?: AlgorithmOptions): Task {
    return this.collective({ kind: "barrier", send: undefined, recv: undefined, options }, () =>
      barrierOperation(options),
    );
  }

  barrier(options?: AlgorithmOptions): Promise<void> {
    return this.promise(this.#barrierTask(options));
  }

  barrierSync(options?: AlgorithmOptions): void {
    this.block(this.#barrierTask(options));
  }

  barrierStart(options?: AlgorithmOptions): Request {
    return this.#begin(this.#barrierTask(options));
  }

  barrierPersistent(options?: AlgorithmOptions): PersistentRequest {
    return this.#build(this.#barrierTask(options));
  }

  send(buffer: ElementArray, options: SendOptions): Promise<void> {
    return this.promise(this.sending(buffer, options));
  }

  sendSync(buffer: ElementArray, options: SendOptions): void {
    this.block(this.sending(buffer, options));
  }

  sendStart(buffer: ElementArray, options: SendOptions): Request {
    return this.#begin(this.sending(buffer, options));
  }

  sendPersistent(buffer: ElementArray, options: SendOptions): PersistentRequest {
    return this.#build(this.sending(buffer, options));
  }

  recv(buffer: ElementArray, options: RecvOptions): Promise<void> {
    return this.promise(this.receiving(buffer, options));
  }

  recvSync(buffer: ElementArray, options: RecvOptions): void {
    this.block(this.receiving(buffer, options));
  }

  recvStart(buffer: ElementArray, options: RecvOptions): Request {
    return this.#begin(this.receiving(buffer, options));
  }

  recvPersistent(buffer: ElementArray, options: RecvOptions): PersistentRequest {
    return this.#build(this.receiving(buffer, options));
  }

  sendrecv(send: ElementArray, recv: ElementArray, options: SendrecvOptions): Promise<void> {
    return this.promise(this.exchanging(send, recv, options));
  }

  sendrecvSync(send: ElementArray, recv: ElementArray, options: SendrecvOptions): void {
    this.block(this.exchanging(send, recv, options));
  }

  sendrecvStart(send: ElementArray, recv: ElementArray, options: SendrecvOptions): Request {
    return this.#begin(this.exchanging(send, recv, options));
  }

  sendrecvPersistent(
    send: ElementArray,
    recv: ElementArray,
    options: SendrecvOptions,
  ): PersistentRequest {
    return this.#build(this.exchanging(send, recv, options));
  }
}
