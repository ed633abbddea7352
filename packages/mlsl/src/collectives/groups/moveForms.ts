/** The forms of operations that move blocks of one count. */

import type { ElementArray } from "../../memory/dataTypes.js";
import {
  allgatherOperation,
  alltoallOperation,
  barrierOperation,
  broadcastOperation,
  gatherOperation,
  scatterOperation,
} from "../arguments/moves.js";
import type { AlgorithmOptions, RootOptions } from "../options.js";
import type { PersistentRequest, Request } from "../requests/requests.js";
import type { Task } from "../requests/task.js";
import type { Buffer } from "./operationForms.js";
import { ReductionForms } from "./reductionForms.js";

/** The forms of operations that move blocks of one count. */
export abstract class MoveForms extends ReductionForms {
  #broadcastTask(buffer: ElementArray, options?: RootOptions): Task {
    return this.collective({ kind: "broadcast", send: buffer, recv: buffer, options }, () =>
      broadcastOperation(buffer, this, options),
    );
  }

  async broadcast(buffer: ElementArray, options?: RootOptions): Promise<void> {
    await this.promise(this.#broadcastTask(buffer, options));
  }

  broadcastSync(buffer: ElementArray, options?: RootOptions): void {
    this.block(this.#broadcastTask(buffer, options));
  }

  broadcastStart(buffer: ElementArray, options?: RootOptions): Request {
    return this.begin(this.#broadcastTask(buffer, options));
  }

  broadcastPersistent(buffer: ElementArray, options?: RootOptions): PersistentRequest {
    return this.build(this.#broadcastTask(buffer, options));
  }

  #allgatherTask(send: ElementArray, recv: ElementArray, options?: AlgorithmOptions): Task {
    return this.collective({ kind: "allgather", send, recv, options }, () =>
      allgatherOperation(send, recv, this, options),
    );
  }

  async allgather<A extends ElementArray>(
    send: A,
    recv: A,
    options?: AlgorithmOptions,
  ): Promise<void> {
    await this.promise(this.#allgatherTask(send, recv, options));
  }

  allgatherSync<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): void {
    this.block(this.#allgatherTask(send, recv, options));
  }

  allgatherStart<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Request {
    return this.begin(this.#allgatherTask(send, recv, options));
  }

  allgatherPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options?: AlgorithmOptions,
  ): PersistentRequest {
    return this.build(this.#allgatherTask(send, recv, options));
  }

  #gatherTask(send: ElementArray, recv: Buffer, options?: RootOptions): Task {
    return this.collective({ kind: "gather", send, recv, options }, () =>
      gatherOperation(send, recv, this, options),
    );
  }

  async gather<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootOptions,
  ): Promise<void> {
    await this.promise(this.#gatherTask(send, recv, options));
  }

  gatherSync<A extends ElementArray>(send: A, recv: A | undefined, options?: RootOptions): void {
    this.block(this.#gatherTask(send, recv, options));
  }

  gatherStart<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootOptions,
  ): Request {
    return this.begin(this.#gatherTask(send, recv, options));
  }

  gatherPersistent<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootOptions,
  ): PersistentRequest {
    return this.build(this.#gatherTask(send, recv, options));
  }

  #scatterTask(send: Buffer, recv: ElementArray, options?: RootOptions): Task {
    return this.collective({ kind: "scatter", send, recv, options }, () =>
      scatterOperation(send, recv, this, options),
    );
  }

  async scatter<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootOptions,
  ): Promise<void> {
    await this.promise(this.#scatterTask(send, recv, options));
  }

  scatterSync<A extends ElementArray>(send: A | undefined, recv: A, options?: RootOptions): void {
    this.block(this.#scatterTask(send, recv, options));
  }

  scatterStart<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootOptions,
  ): Request {
    return this.begin(this.#scatterTask(send, recv, options));
  }

  scatterPersistent<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootOptions,
  ): PersistentRequest {
    return this.build(this.#scatterTask(send, recv, options));
  }

  #alltoallTask(send: ElementArray, recv: ElementArray, options?: AlgorithmOptions): Task {
    return this.collective({ kind: "alltoall", send, recv, options }, () =>
      alltoallOperation(send, recv, this, options),
    );
  }

  async alltoall<A extends ElementArray>(
    send: A,
    recv: A,
    options?: AlgorithmOptions,
  ): Promise<void> {
    await this.promise(this.#alltoallTask(send, recv, options));
  }

  alltoallSync<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): void {
    this.block(this.#alltoallTask(send, recv, options));
  }

  alltoallStart<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Request {
    return this.begin(this.#alltoallTask(send, recv, options));
  }

  alltoallPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options?: AlgorithmOptions,
  ): PersistentRequest {
    return this.build(this.#alltoallTask(send, recv, options));
  }

  #barrierTask(options?: AlgorithmOptions): Task {
    return this.collective({ kind: "barrier", send: undefined, recv: undefined, options }, () =>
      barrierOperation(options),
    );
  }

  async barrier(options?: AlgorithmOptions): Promise<void> {
    await this.promise(this.#barrierTask(options));
  }

  barrierSync(options?: AlgorithmOptions): void {
    this.block(this.#barrierTask(options));
  }

  barrierStart(options?: AlgorithmOptions): Request {
    return this.begin(this.#barrierTask(options));
  }

  barrierPersistent(options?: AlgorithmOptions): PersistentRequest {
    return this.build(this.#barrierTask(options));
  }
}
