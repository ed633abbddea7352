/*
 * How far apart the cores of ranks 0 and 1 are just now.
 *
 * On a virtual machine cores move: a cache line crosses from one to the other in some 50 ns while
 * they share a cache and in 200 or more while they do not, and every figure of shared memory
 * follows. So each figure carries the distance measured beside it. `mlsl bench` does the same.
 */
#ifndef PLACE_H
#define PLACE_H
#include "clock.h"
#include <sched.h>

/* Enough bursts that one falls into quiet, enough rounds that the clock's own time is lost. */
enum { PLACE_BURSTS = 40, PLACE_ROUNDS = 50 };
/* Looks before giving way, in case that both sides share a core: some 0.1 ms. */
enum { PLACE_LOOKS = 100000 };

/* Lies in memory that both ranks share; begins as zeros. Each word has one writer. */
struct place {
  unsigned ping __attribute__((aligned(64)));
  unsigned pong __attribute__((aligned(64)));
  unsigned after __attribute__((aligned(64))); /* keeps what follows off the last line */
};

static inline void place_wait(const unsigned *word, unsigned value) {
  for (unsigned looks = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) != value; looks++)
    if (looks % PLACE_LOOKS == 0) sched_yield();
}

/* One-way time of a cache line in ns, the best of all bursts. Ranks 0 and 1 call it together. */
static inline double place_ns(struct place *place, int rank) {
  double best_us = 1e9;
  for (int burst = 0; burst < PLACE_BURSTS; burst++) {
    /* Rank 1 answered last, and answers no more before rank 0 asks again. */
    unsigned value = __atomic_load_n(&place->pong, __ATOMIC_ACQUIRE);
    double began_us = now_us();
    for (int round = 0; round < PLACE_ROUNDS; round++) {
      value++;
      if (rank == 0) {
        __atomic_store_n(&place->ping, value, __ATOMIC_RELEASE);
        place_wait(&place->pong, value);
      } else {
        place_wait(&place->ping, value);
        __atomic_store_n(&place->pong, value, __ATOMIC_RELEASE);
      }
    }
    double took_us = now_us() - began_us;
    if (took_us < best_us) best_us = took_us;
  }
  return best_us * 1e3 / (2 * PLACE_ROUNDS);
}
#endif
