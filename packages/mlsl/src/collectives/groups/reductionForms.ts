/** The forms of operations that combine contributions. */

import type { ElementArray } from "../../memory/dataTypes.js";
import {
  allreduceOperation,
  reduceOperation,
  reduceScatterOperation,
  reduceScattervOperation,
} from "../arguments/reductions.js";
import type {
  ReduceBlockOptions,
  ReducedInto,
  ReduceOptions,
  ReduceRootOptions,
} from "../options.js";
import type { PersistentRequest, Request } from "../requests/requests.js";
import type { Task } from "../requests/task.js";
import { type Buffer, OperationForms } from "./operationForms.js";

/** The forms of operations that combine contributions. */
export abstract class ReductionForms extends OperationForms {
  #allreduceTask(send: ElementArray, recv: ElementArray, options?: ReduceOptions): Task {
    return this.collective({ kind: "allreduce", send, recv, options }, () =>
      allreduceOperation(send, recv, options),
    );
  }

  async allreduce<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Promise<void> {
    await this.promise(this.#allreduceTask(send, recv, options));
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
    return this.begin(this.#allreduceTask(send, recv, options));
  }

  allreducePersistent<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): PersistentRequest {
    return this.build(this.#allreduceTask(send, recv, options));
  }

  #reduceTask(send: ElementArray, recv: Buffer, options?: ReduceRootOptions): Task {
    return this.collective({ kind: "reduce", send, recv, options }, () =>
      reduceOperation(send, recv, this, options),
    );
  }

  async reduce<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): Promise<void> {
    await this.promise(this.#reduceTask(send, recv, options));
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
    return this.begin(this.#reduceTask(send, recv, options));
  }

  reducePersistent<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): PersistentRequest {
    return this.build(this.#reduceTask(send, recv, options));
  }

  #reduceScatterTask(send: ElementArray, recv: ElementArray, options?: ReduceOptions): Task {
    return this.collective({ kind: "reduceScatter", send, recv, options }, () =>
      reduceScatterOperation(send, recv, this, options),
    );
  }

  async reduceScatter<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Promise<void> {
    await this.promise(this.#reduceScatterTask(send, recv, options));
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
    return this.begin(this.#reduceScatterTask(send, recv, options));
  }

  reduceScatterPersistent<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): PersistentRequest {
    return this.build(this.#reduceScatterTask(send, recv, options));
  }

  #reduceScattervTask(send: ElementArray, recv: ElementArray, options: ReduceBlockOptions): Task {
    return this.collective({ kind: "reduceScatterv", send, recv, options }, () =>
      reduceScattervOperation(send, recv, this, options),
    );
  }

  async reduceScatterv<A extends ElementArray, O extends ReduceBlockOptions = ReduceBlockOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options: O,
  ): Promise<void> {
    await this.promise(this.#reduceScattervTask(send, recv, options));
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
    return this.begin(this.#reduceScattervTask(send, recv, options));
  }

  reduceScattervPersistent<
    A extends ElementArray,
    O extends ReduceBlockOptions = ReduceBlockOptions,
  >(send: A, recv: ReducedInto<A, O>, options: O): PersistentRequest {
    return this.build(this.#reduceScattervTask(send, recv, options));
  }
}
