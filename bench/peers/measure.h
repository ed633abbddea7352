/*
 * The loop that times a call; one for all peers, and in step with that of `mlsl bench`. C and C++.
 *
 * Before every call, untimed, every rank writes its inputs anew and all ranks meet: a gradient is
 * fresh when it is sent, so a peer must not profit from data that lie where its last call left
 * them; and no rank, the root of a broadcast first of all, may run ahead. After it every result is
 * checked in full, untimed. The time of a call is that of its slowest rank.
 */
#ifndef MEASURE_H
#define MEASURE_H
#include "place.h"
#include "workload.h"

/* Bounds of the number of timed calls. */
enum { MIN_ITERATIONS = 8, MAX_ITERATIONS = 20000 };
/* Calls whose best time is the estimate from which the number of iterations follows. */
enum { ESTIMATE_CALLS = 8 };
/* A quarter of the smallest time that a call was seen to take; keeps the estimate off zero. */
#define SHORTEST_US 0.05

/* How the ranks of a peer work together beside the measured calls. */
struct team {
  int rank, ranks;
  void (*meet)(void *self);
  /* Element-wise maximum over the ranks, given to all. */
  void (*maximum)(void *self, double *values, long count);
  struct place *place; /* 0 if the ranks outnumber the cores: then there is no distance */
  void *self;
};

/* A prepared operation. */
struct job {
  struct workload work;
  void (*call)(void *self);
  void *self;
};

static inline double timed_call(const struct team *t, const struct job *j, unsigned round) {
  if (j->work.op != BARRIER) {
    fill(&j->work, round);
    t->meet(t->self);
  }
  double cost_us = clock_cost_us();
  double began_us = now_us();
  j->call(j->self);
  double took_us = now_us() - began_us - cost_us;
  if (took_us < 0) took_us = 0;
  check(&j->work, round);
  return took_us;
}

static inline long agree_on_iterations(const struct team *t, const struct job *j,
                                       double budget_us) {
  double best_us = 1e12;
  for (unsigned round = 0; round < ESTIMATE_CALLS; round++) {
    double us = timed_call(t, j, round);
    if (us < best_us) best_us = us;
  }
  t->maximum(t->self, &best_us, 1);
  double wanted = budget_us / (best_us > SHORTEST_US ? best_us : SHORTEST_US);
  return wanted < MIN_ITERATIONS ? MIN_ITERATIONS : wanted > MAX_ITERATIONS ? MAX_ITERATIONS
                                                                            : (long)wanted;
}

static inline double distance_ns(const struct team *t) {
  t->meet(t->self);
  double ns = t->place && t->rank < 2 ? place_ns(t->place, t->rank) : 0;
  t->meet(t->self);
  return ns;
}

static inline int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* How long the calls took, sorted. */
struct times {
  const double *us;
  long count;
};

static inline void print_line(const struct team *t, const struct job *j, const char *peer,
                              struct times times, double distance) {
  double median_us = times.us[times.count / 2];
  printf("{\"peer\":\"%s\",\"op\":\"%s\",\"bytes\":%zu,\"ranks\":%d,\"iterations\":%ld,"
         "\"min_us\":%.2f,\"median_us\":%.2f,\"p99_us\":%.2f,\"algbw_GBps\":%.3f,"
         "\"c2c_ns\":%.0f}\n",
         peer, op_names[j->work.op], j->work.bytes, t->ranks, times.count, times.us[0], median_us,
         times.us[(long)(times.count * 0.99)], j->work.bytes / median_us / 1e3, distance);
  fflush(stdout);
}

/* Measures one size; rank 0 prints the line. All ranks call it together. */
static inline void measure(const struct team *t, const struct job *j, const struct options *o) {
  long iterations = agree_on_iterations(t, j, o->budget_us);
  unsigned round = ESTIMATE_CALLS;
  double *us = (double *)malloc(iterations * sizeof *us);
  if (!us) exit(1);
  for (long i = 0; i < iterations / 5 + 2; i++) timed_call(t, j, round++);
  double before_ns = distance_ns(t);
  for (long i = 0; i < iterations; i++) us[i] = timed_call(t, j, round++);
  double after_ns = distance_ns(t);
  t->maximum(t->self, us, iterations);
  qsort(us, iterations, sizeof *us, by_value);
  struct times times = {us, iterations};
  double distance = before_ns > after_ns ? before_ns : after_ns;
  if (t->rank == 0) print_line(t, j, o->peer, times, distance);
  free(us);
}

/* The next size of a run, or 0 behind the last; `last` is 0 before the first. */
static inline size_t next_size(const struct options *o, enum op op, int ranks, size_t last) {
  for (size_t size = last ? last * o->step : o->min; size <= o->max; size *= o->step)
    if (!op_splits(op) || size / 4 % ranks == 0) return size;
  return 0;
}
#endif
