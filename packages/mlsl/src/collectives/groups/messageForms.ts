/** The forms of sends and receives. */

import type { ElementArray } from "../../memory/dataTypes.js";
import type { RecvOptions, SendOptions, SendrecvOptions } from "../options.js";
import type { PersistentRequest, Request } from "../requests/requests.js";
import type { Task } from "../requests/task.js";
import { VariableForms } from "./variableForms.js";

/** The forms of sends and receives. */
export abstract class MessageForms extends VariableForms {
  protected abstract sending(buffer: ElementArray, options: SendOptions): Task;
  protected abstract receiving(buffer: ElementArray, options: RecvOptions): Task;
  protected abstract exchanging(
    send: ElementArray,
    recv: ElementArray,
    options: SendrecvOptions,
  ): Task;

  async send(buffer: ElementArray, options: SendOptions): Promise<void> {
    await this.promise(this.sending(buffer, options));
  }

  sendSync(buffer: ElementArray, options: SendOptions): void {
    this.block(this.sending(buffer, options));
  }

  sendStart(buffer: ElementArray, options: SendOptions): Request {
    return this.begin(this.sending(buffer, options));
  }

  sendPersistent(buffer: ElementArray, options: SendOptions): PersistentRequest {
    return this.build(this.sending(buffer, options));
  }

  async recv(buffer: ElementArray, options: RecvOptions): Promise<void> {
    await this.promise(this.receiving(buffer, options));
  }

  recvSync(buffer: ElementArray, options: RecvOptions): void {
    this.block(this.receiving(buffer, options));
  }

  recvStart(buffer: ElementArray, options: RecvOptions): Request {
    return this.begin(this.receiving(buffer, options));
  }

  recvPersistent(buffer: ElementArray, options: RecvOptions): PersistentRequest {
    return this.build(this.receiving(buffer, options));
  }

  async sendrecv(send: ElementArray, recv: ElementArray, options: SendrecvOptions): Promise<void> {
    await this.promise(this.exchanging(send, recv, options));
  }

  sendrecvSync(send: ElementArray, recv: ElementArray, options: SendrecvOptions): void {
    this.block(this.exchanging(send, recv, options));
  }

  sendrecvStart(send: ElementArray, recv: ElementArray, options: SendrecvOptions): Request {
    return this.begin(this.exchanging(send, recv, options));
  }

  sendrecvPersistent(
    send: ElementArray,
    recv: ElementArray,
    options: SendrecvOptions,
  ): PersistentRequest {
    return this.build(this.exchanging(send, recv, options));
  }
}
