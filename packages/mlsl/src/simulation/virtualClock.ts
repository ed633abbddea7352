/**
 * Time that passes only from event to event: a run takes as long as its events take to compute, and
 * the same events always come in the same order.
 */

/** What ends a run that would not end by itself. */
export interface ClockLimits {
  /** Events of this run. @default 1e10, hours of computing */
  readonly events?: number;
  /** Virtual milliseconds since the clock was made. @default 1e9, eleven days */
  readonly ms?: number;
}

const DEFAULT_EVENTS = 1e10;
const DEFAULT_MS = 1e9;

/** Room at the start; it doubles as needed. */
const FIRST_CAPACITY = 256;

/**
 * Children of a place in the heap. Four make it half as deep as two, and are neighbours in memory:
 * events are mostly added near the end and always taken from the front.
 */
const CHILDREN = 4;

/** What an event does; it is given the argument that it was made with. */
export type Task<T> = (argument: T) => void;

/** A clock, and a queue of events that is a heap in typed arrays: no object is made for an event. */
export class VirtualClock {
  #nowMs = 0;
  #size = 0;
  #added = 0;
  #events = 0;
  /** By place in the heap: when, the how-manieth event it is, and where its task is kept. */
  #times: Float64Array = new Float64Array(FIRST_CAPACITY);
  #numbers: Float64Array = new Float64Array(FIRST_CAPACITY);
  #slots: Int32Array = new Int32Array(FIRST_CAPACITY);
  readonly #tasks: (Task<unknown> | undefined)[] = [];
  readonly #arguments: unknown[] = [];
  readonly #free: number[] = [];

  /** Milliseconds since the clock was made. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Events that have happened. */
  get eventCount(): number {
    return this.#events;
  }

  /**
   * Makes something happen at a time; events of the same time happen in the order of these calls.
   *
   * @param argument is given to the task, so that one function serves many events
   * @returns what `cancel` takes
   * @throws {RangeError} if the time is over
   */
  at<T = undefined>(atMs: number, task: Task<T>, argument?: T): number {
    if (!(atMs >= this.#nowMs)) {
      throw new RangeError(
        `Cannot add an event at ${atMs} ms: expected a time from now on, and now is ${this.#nowMs}`,
      );
    }
    const slot = this.#free.pop() ?? this.#tasks.length;
    this.#tasks[slot] = task as Task<unknown>;
    this.#arguments[slot] = argument;
    if (this.#size === this.#times.length) this.#grow();
    this.#rise(atMs, this.#added++, slot);
    return slot;
  }

  /** As `at`, so many milliseconds from now. */
  after<T = undefined>(ms: number, task: Task<T>, argument?: T): number {
    return this.at(this.#nowMs + ms, task, argument);
  }

  /** Makes an event that has not happened yet not happen; time does not pass for its sake either. */
  cancel(event: number): void {
    this.#tasks[event] = undefined;
    this.#arguments[event] = undefined;
  }

  /**
   * Lets all events happen, and those that come of them.
   *
   * @throws {Error} if a limit is exceeded: something goes on for ever
   */
  run({ events = DEFAULT_EVENTS, ms = DEFAULT_MS }: ClockLimits = {}): void {
    const lastEvent = this.#events + events;
    while (this.#size > 0) {
      const atMs = this.#times[0]!;
      const slot = this.#slots[0]!;
      const task = this.#tasks[slot];
      const argument = this.#arguments[slot];
      if (task !== undefined) this.#check(atMs, { lastEvent, events, ms });
      this.#removeFirst();
      this.#tasks[slot] = undefined;
      this.#arguments[slot] = undefined;
      this.#free.push(slot);
      if (task === undefined) continue;
      this.#nowMs = atMs;
      this.#events++;
      task(argument);
    }
  }

  #check(atMs: number, limits: { lastEvent: number; events: number; ms: number }): void {
    if (this.#events >= limits.lastEvent) {
      throw new Error(
        `The simulation does not end: after ${limits.events} events ${this.#size} are to come, ` +
          `at ${this.#nowMs} ms`,
      );
    }
    if (atMs > limits.ms) {
      throw new Error(
        `The simulation does not end: the next of ${this.#size} events is at ${atMs} ms, ` +
          `the limit is ${limits.ms} ms`,
      );
    }
  }

  #grow(): void {
    const capacity = 2 * this.#times.length;
    const [times, numbers, slots] = [this.#times, this.#numbers, this.#slots];
    this.#times = new Float64Array(capacity);
    this.#numbers = new Float64Array(capacity);
    this.#slots = new Int32Array(capacity);
    this.#times.set(times);
    this.#numbers.set(numbers);
    this.#slots.set(slots);
  }

  /** Puts an entry where it belongs on the way from the last place to the first. */
  #rise(atMs: number, number: number, slot: number): void {
    const [times, numbers, slots] = [this.#times, this.#numbers, this.#slots];
    let place = this.#size++;
    while (place > 0) {
      const parent = Math.floor((place - 1) / CHILDREN);
      // Its number is the largest, so it goes after its equals.
      if (times[parent]! <= atMs) break;
      times[place] = times[parent]!;
      numbers[place] = numbers[parent]!;
      slots[place] = slots[parent]!;
      place = parent;
    }
    times[place] = atMs;
    numbers[place] = number;
    slots[place] = slot;
  }

  /** Takes the first entry out: the last one moves down from its place. */
  #removeFirst(): void {
    const [times, numbers, slots] = [this.#times, this.#numbers, this.#slots];
    const last = --this.#size;
    const [atMs, number, slot] = [times[last]!, numbers[last]!, slots[last]!];
    let place = 0;
    for (;;) {
      const first = CHILDREN * place + 1;
      if (first >= last) break;
      const least = this.#least(first, Math.min(first + CHILDREN, last));
      const leastMs = times[least]!;
      if (atMs < leastMs || (atMs === leastMs && number < numbers[least]!)) break;
      times[place] = leastMs;
      numbers[place] = numbers[least]!;
      slots[place] = slots[least]!;
      place = least;
    }
    times[place] = atMs;
    numbers[place] = number;
    slots[place] = slot;
  }

  /** Which of the places [first, end) comes first. */
  #least(first: number, end: number): number {
    const [times, numbers] = [this.#times, this.#numbers];
    let least = first;
    for (let place = first + 1; place < end; place++) {
      const [a, b] = [times[place]!, times[least]!];
      if (a < b || (a === b && numbers[place]! < numbers[least]!)) least = place;
    }
    return least;
  }
}
