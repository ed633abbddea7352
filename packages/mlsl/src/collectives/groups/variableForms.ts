/** The forms of operations whose blocks have counts of their own. */

import type { ElementArray } from "../../memory/dataTypes.js";
import {
  allgathervOperation,
  alltoallvOperation,
  gathervOperation,
  scattervOperation,
} from "../arguments/variable.js";
import type { BlockOptions, ExchangeOptions, RootBlockOptions } from "../options.js";
import type { PersistentRequest, Request } from "../requests/requests.js";
import type { Task } from "../requests/task.js";
import { MoveForms } from "./moveForms.js";
import type { Buffer } from "./operationForms.js";

/** The forms of operations whose blocks have counts of their own. */
export abstract class VariableForms extends MoveForms {
  #allgathervTask(send: ElementArray, recv: ElementArray, options: BlockOptions): Task {
    return this.collective({ kind: "allgatherv", send, recv, options }, () =>
      allgathervOperation(send, recv, this, options),
    );
  }

  async allgatherv<A extends ElementArray>(send: A, recv: A, options: BlockOptions): Promise<void> {
    await this.promise(this.#allgathervTask(send, recv, options));
  }

  allgathervSync<A extends ElementArray>(send: A, recv: A, options: BlockOptions): void {
    this.block(this.#allgathervTask(send, recv, options));
  }

  allgathervStart<A extends ElementArray>(send: A, recv: A, options: BlockOptions): Request {
    return this.begin(this.#allgathervTask(send, recv, options));
  }

  allgathervPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options: BlockOptions,
  ): PersistentRequest {
    return this.build(this.#allgathervTask(send, recv, options));
  }

  #gathervTask(send: ElementArray, recv: Buffer, options?: RootBlockOptions): Task {
    return this.collective({ kind: "gatherv", send, recv, options }, () =>
      gathervOperation(send, recv, this, options),
    );
  }

  async gatherv<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): Promise<void> {
    await this.promise(this.#gathervTask(send, recv, options));
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
    return this.begin(this.#gathervTask(send, recv, options));
  }

  gathervPersistent<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): PersistentRequest {
    return this.build(this.#gathervTask(send, recv, options));
  }

  #scattervTask(send: Buffer, recv: ElementArray, options?: RootBlockOptions): Task {
    return this.collective({ kind: "scatterv", send, recv, options }, () =>
      scattervOperation(send, recv, this, options),
    );
  }

  async scatterv<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): Promise<void> {
    await this.promise(this.#scattervTask(send, recv, options));
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
    return this.begin(this.#scattervTask(send, recv, options));
  }

  scattervPersistent<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): PersistentRequest {
    return this.build(this.#scattervTask(send, recv, options));
  }

  #alltoallvTask(send: ElementArray, recv: ElementArray, options: ExchangeOptions): Task {
    return this.collective({ kind: "alltoallv", send, recv, options }, () =>
      alltoallvOperation(send, recv, this, options),
    );
  }

  async alltoallv<A extends ElementArray>(
    send: A,
    recv: A,
    options: ExchangeOptions,
  ): Promise<void> {
    await this.promise(this.#alltoallvTask(send, recv, options));
  }

  alltoallvSync<A extends ElementArray>(send: A, recv: A, options: ExchangeOptions): void {
    this.block(this.#alltoallvTask(send, recv, options));
  }

  alltoallvStart<A extends ElementArray>(send: A, recv: A, options: ExchangeOptions): Request {
    return this.begin(this.#alltoallvTask(send, recv, options));
  }

  alltoallvPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options: ExchangeOptions,
  ): PersistentRequest {
    return this.build(this.#alltoallvTask(send, recv, options));
  }
}
