/**
 * How often promises look for their peers: at once as long as something may happen any moment, then
 * ever more rarely, so that a rank that waits for long uses no core.
 */

/** Turns of the event loop in which promises look again at once, before they use a timer. */
const EAGER_TURNS = 200;

/**
 * Longest pause between two looks: a hundred looks a second cost less than 1 % of a core. It is
 * reached after half a second of waiting.
 */
const MAX_PAUSE_MS = 10;
/** Looks after which the pause grows by a millisecond. */
const LOOKS_PER_PAUSE = 10;

/** What a look has found. */
interface Look {
  /** Whether somebody's wait is over. */
  readonly settled: boolean;
  /** Whether somebody still waits. */
  readonly left: boolean;
}

/** Looks again and again until nobody waits. */
export class Pauses {
  readonly #look: () => Look;
  #turns = 0;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(look: () => Look) {
    this.#look = look;
  }

  /** Begins to look, or looks eagerly again. */
  begin(): void {
    this.#turns = 0;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#immediate ??= setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#immediate = undefined;
    this.#timer = undefined;
    const { settled, left } = this.#look();
    this.#turns = settled ? 0 : this.#turns + 1;
    // A look may have begun anew: whoever was waiting has gone on.
    if (!left || this.#immediate !== undefined) return;
    const looks = this.#turns - EAGER_TURNS;
    if (looks < 0) {
      this.#immediate = setImmediate(() => this.#turn());
      return;
    }
    const pauseMs = Math.min(MAX_PAUSE_MS, 1 + Math.floor(looks / LOOKS_PER_PAUSE));
    this.#timer = setTimeout(() => this.#turn(), pauseMs);
  }
}
