/** What looks on while a cluster runs. */

import type { Engine } from "../engine/engine.js";
import type { Frame } from "../engine/frames.js";
import type { Kernel } from "../engine/kernelQueue.js";
import type { HasRoom } from "../engine/outgoing.js";
import type { EngineRequest } from "../engine/request.js";

/** Is told what happens, in its order, and asks the engines in the cluster's place. */
export interface Probe {
  /** Asks an engine for its next frame, and gives it on. */
  nextFrame(engine: Engine, nowMs: number, hasRoom: HasRoom): Frame | undefined;
  /** Asks an engine for its next kernel, and gives it on. */
  nextKernel(engine: Engine, nowMs: number): Kernel | undefined;
  arrived(nowMs: number, frame: Frame): void;
  /** The sender of a frame learns that it has arrived. */
  landed(nowMs: number, frame: Frame): void;
  started(nowMs: number, rank: number, request: EngineRequest): void;
  settled(nowMs: number, rank: number, request: EngineRequest): void;
  /** Anything else, in words. */
  note(nowMs: number, rank: number, text: string): void;
}
