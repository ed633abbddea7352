/**
 * Holds an engine against its bound on starvation (engine/order.ts): while the oldest of the
 * requests that could go on stays the same, at most OLDEST_EVERY − 1 frames or kernels in a row are
 * of others alone.
 */

import type { Engine } from "../../engine/engine.js";
import type { Frame } from "../../engine/frames.js";
import type { Kernel } from "../../engine/kernelQueue.js";
import { OLDEST_EVERY } from "../../engine/order.js";
import type { HasRoom } from "../../engine/outgoing.js";
import type { EngineRequest } from "../../engine/request.js";

/** Counts how often in a row one request was passed over. */
class Patience {
  #oldest: EngineRequest | undefined;
  #passed = 0;
  longest = 0;

  /** @param oldest of those that could go on before the choice */
  choose(oldest: EngineRequest, isChosen: boolean): void {
    if (oldest !== this.#oldest || isChosen) this.#passed = 0;
    this.#oldest = oldest;
    if (isChosen) return;
    this.#passed++;
    this.longest = Math.max(this.longest, this.#passed);
    if (this.#passed < OLDEST_EVERY) return;
    throw new Error(
      `Request ${oldest.match} of group ${oldest.group.id} is the oldest that could go on, and was ` +
        `passed over ${this.#passed} times in a row`,
    );
  }
}

/** Asks one engine and looks at what it gives. */
export class FairnessCheck {
  readonly #frames = new Patience();
  readonly #kernels = new Patience();

  /** The most times that a request was passed over, of chunks and of kernels. */
  get longest(): number {
    return Math.max(this.#frames.longest, this.#kernels.longest);
  }

  nextFrame(engine: Engine, nowMs: number, hasRoom: HasRoom): Frame | undefined {
    const oldest = engine.oldestSendable(hasRoom);
    const frame = engine.nextFrame(nowMs, hasRoom);
    if (frame === undefined || frame.dataBytes === 0) return frame;
    if (oldest === undefined) throw new Error(`Rank ${engine.rank} sends beyond its window`);
    const isChosen = frame.parts.some((part) => part.kind === "data" && part.request === oldest);
    this.#frames.choose(oldest, isChosen);
    return frame;
  }

  nextKernel(engine: Engine, nowMs: number): Kernel | undefined {
    const oldest = engine.oldestComputable;
    const kernel = engine.nextKernel(nowMs);
    if (kernel !== undefined) this.#kernels.choose(oldest!, kernel.request === oldest);
    return kernel;
  }
}
