/** In which order requests go when they compete, and how long the least urgent may be held up. */

/**
 * "priority": by the number that each request has; "lifo": the newest first, as the original
 * library does; "fifo": the oldest first, as libraries without priorities do.
 */
export type OrderMode = "priority" | "lifo" | "fifo";

/** All modes. */
export const ORDER_MODES: readonly OrderMode[] = ["priority", "lifo", "fifo"];

/**
 * Every so many-th chunk is one of the request that was started first, however urgent others are:
 * whatever a request needs, it gets a sixteenth of the link and of the kernels while it is the
 * oldest, so a request of c chunks is over at the latest 16·c chunk times after those before it.
 * A sixteenth is what the most urgent can lose by it.
 */
export const OLDEST_EVERY = 16;

/**
 * The urgency of a request; smaller comes first.
 *
 * @param priority the request's number; undefined: newest first, before all that have one
 * @param order number of its start
 */
export function urgencyOf(mode: OrderMode, priority: number | undefined, order: number): number {
  if (mode === "fifo") return order;
  if (mode === "lifo") return -order;
  return priority ?? -order;
}
