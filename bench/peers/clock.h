/* The clock of all measurements: monotonic, in microseconds; a call takes some 25 ns. */
#ifndef CLOCK_H
#define CLOCK_H
#include <time.h>

static inline double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}
#endif
