/** What waits for its counterpart, by tag: first in, first out among equal tags. */

/** Queues of items, one for each tag. A tag without items costs nothing. */
export class TagQueues<T> {
  readonly #queues = new Map<number, T[]>();

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  push(tag: number, item: T): void {
    const queue = this.#queues.get(tag);
    if (queue === undefined) this.#queues.set(tag, [item]);
    else queue.push(item);
  }

  /** The first item of a tag; undefined if there is none. */
  first(tag: number): T | undefined {
    return this.#queues.get(tag)?.[0];
  }

  /** Takes an item out. @returns whether it was there */
  remove(tag: number, item: T): boolean {
    const queue = this.#queues.get(tag);
    const index = queue?.indexOf(item) ?? -1;
    if (index === -1) return false;
    queue!.splice(index, 1);
    if (queue!.length === 0) this.#queues.delete(tag);
    return true;
  }
}
