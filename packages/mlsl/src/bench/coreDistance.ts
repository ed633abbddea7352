/**
 * How far apart two ranks' cores are just now. On a virtual machine cores move: a cache line
 * crosses from one to the other in some 50 ns while they share a cache and in some 220 while they
 * do not, and every figure of shared memory follows. So each figure carries the distance.
 */

import type { Group } from "../collectives/api.js";

const BURSTS = 40;
const ROUNDS = 50;
/** Looks in one wait: some milliseconds. A peer that is away longer spoils the burst, no more. */
const MAX_LOOKS = 1000000;

/** Two words on cache lines of their own, in the memory of rank 0. */
export interface PingPong {
  readonly words: Int32Array;
  readonly first: number;
}

/** Words of a cache line. */
const LINE_WORDS = 16;

/** Lays out the words; collective. */
export function openPingPong(group: Group): PingPong {
  const block = group.allocate("int32", 2 * LINE_WORDS);
  const address = new Int32Array([block.byteOffset / 4]);
  group.broadcastSync(address);
  return { words: new Int32Array(block.buffer), first: address[0]! };
}

function waitFor(words: Int32Array, index: number, value: number): void {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    // Safe: each word has one writer, and only equality with a number not used before is asked.
    if (Atomics.load(words, index) === value) return;
  }
}

function burst({ words, first }: PingPong, side: number, start: number): void {
  const own = first + side * LINE_WORDS;
  const peer = first + (1 - side) * LINE_WORDS;
  for (let round = 1; round <= ROUNDS; round++) {
    // Safe: own word, see waitFor.
    if (side === 0) Atomics.store(words, own, start + round);
    waitFor(words, peer, start + round);
    if (side === 1) Atomics.store(words, own, start + round);
  }
}

/**
 * One-way time of a cache line between ranks 0 and 1 in ns, the best of 40 bursts, on every rank;
 * 0 in a group of one. Collective.
 */
export function coreDistanceNs(group: Group, pingPong: PingPong): number {
  if (group.ranks < 2) return 0;
  const best = new Float64Array([Number.POSITIVE_INFINITY]);
  if (group.rank < 2) {
    for (let i = 0; i < BURSTS; i++) {
      // Safe: rank 1's word is what both reached last; both read it while neither writes.
      const start = Atomics.load(pingPong.words, pingPong.first + LINE_WORDS);
      const beganMs = performance.now();
      burst(pingPong, group.rank, start);
      best[0] = Math.min(best[0]!, ((performance.now() - beganMs) * 1e6) / (2 * ROUNDS));
    }
  }
  group.allreduceSync(best, best, { op: "min" });
  return best[0]!;
}
