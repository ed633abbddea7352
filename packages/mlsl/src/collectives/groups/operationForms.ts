/** The four forms in which callers wait for an operation, on top of its task. */

import type { ElementArray } from "../../memory/dataTypes.js";
import type { CollectiveKind, Operation } from "../operations/operation.js";
import type { WaitOptions } from "../options.js";
import type { Progress } from "../requests/progress.js";
import {
  LocalPersistentRequest,
  LocalRequest,
  type PersistentRequest,
  type Request,
  throwFailure,
} from "../requests/requests.js";
import type { Task } from "../requests/task.js";

/** A buffer that some ranks do not need. */
export type Buffer = ElementArray | undefined;

/** What a collective is called with; equal calls may share what was prepared. */
export interface Call {
  readonly kind: CollectiveKind;
  readonly send: Buffer;
  readonly recv: Buffer;
  readonly options: WaitOptions | undefined;
}

/** A group as far as its operations' forms go. */
export abstract class OperationForms {
  abstract readonly rank: number;
  abstract readonly ranks: number;
  /** What moves this rank's operations on. */
  protected abstract readonly progress: Progress;

  /** The task of a collective: that of an equal call before, or of the operation that is built. */
  protected abstract collective(call: Call, build: () => Operation): Task;

  protected async promise(task: Task): Promise<void> {
    const entry = task.newEntry();
    task.start(entry);
    await this.progress.wait([entry]);
    throwFailure(entry);
  }

  protected block(task: Task): void {
    const entry = task.runBriefly();
    if (entry === undefined) return;
    this.progress.waitSync([entry]);
    throwFailure(entry);
  }

  protected begin(task: Task): Request {
    const entry = task.newEntry();
    task.start(entry);
    return new LocalRequest(this.progress, entry);
  }

  protected build(task: Task): PersistentRequest {
    const entry = task.newEntry();
    const start = () => task.start(entry);
    return new LocalPersistentRequest({ progress: this.progress, entry, start });
  }
}
