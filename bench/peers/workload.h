/*
 * The operations: what their buffers hold before a call and must hold after it. C and C++.
 *
 * What `bytes` means, the same as in `mlsl bench`:
 *   allreduce, broadcast, reduce   the vector
 *   reduceScatter, alltoall        the whole send buffer of a rank
 *   allgather, gather              the gathered vector
 *   scatter                        the whole send buffer of the root
 *   sendrecv                       the message that each rank sends to the next
 *   barrier                        nothing: 0
 * Elements are float32, reductions are sums, the root is rank 0; allreduce and broadcast work in
 * place, in `send`.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H
#include "options.h"

enum op {
  ALLREDUCE,
  BROADCAST,
  ALLGATHER,
  REDUCE_SCATTER,
  ALLTOALL,
  REDUCE,
  GATHER,
  SCATTER,
  SENDRECV,
  BARRIER,
  OPS
};
static const char *const op_names[OPS] = {"allreduce", "broadcast", "allgather", "reduceScatter",
                                          "alltoall",  "reduce",    "gather",    "scatter",
                                          "sendrecv",  "barrier"};

struct workload {
  enum op op;
  int rank, ranks;
  size_t bytes;
  size_t count; /* elements of the whole vector */
  size_t part;  /* elements of one rank's part of it */
  float *send, *recv;
  const float *result; /* where the result is looked for */
};

static inline enum op op_named(const char *name) {
  int op = 0;
  while (op < OPS && strcmp(name, op_names[op])) op++;
  if (op == OPS) refuse("an operation of workload.h was expected", name);
  return (enum op)op;
}

/* Whether a vector is cut into one part for each rank. */
static inline int op_splits(enum op op) {
  return op == ALLGATHER || op == REDUCE_SCATTER || op == ALLTOALL || op == GATHER ||
         op == SCATTER;
}

static inline struct workload make_workload(enum op op, int rank, int ranks, size_t bytes) {
  struct workload w = {op, rank, ranks, bytes, bytes / 4, bytes / 4 / ranks, 0, 0, 0};
  return w;
}

/*
 * Element i of rank r in a round is r + 1 + wave(i, round): it tells who sent it, from where and
 * when, and sums of it are exact in float32.
 */
static inline float wave(size_t i, unsigned round) { return (float)(((unsigned)i + round) & 63); }

/* Sets the inputs of a round. */
static inline void fill(const struct workload *w, unsigned round) {
  int parts_only = w->op == ALLGATHER || w->op == GATHER;
  size_t count = parts_only ? w->part : w->count;
  for (size_t i = 0; i < count; i++) w->send[i] = (float)(w->rank + 1) + wave(i, round);
}

/* A stretch of the result: `ranks` times the wave from its element `first` on, plus `base`. */
struct stretch {
  size_t count;
  float base, ranks;
  size_t first;
};

/* Complains about the first wrong element and ends the process. */
static inline void check_stretch(const struct workload *w, const float *got, struct stretch s,
                                 unsigned round) {
  int wrong = 0;
  for (size_t i = 0; i < s.count; i++)
    wrong |= got[i] != s.base + s.ranks * wave(s.first + i, round);
  if (!wrong) return;
  size_t i = 0;
  while (got[i] == s.base + s.ranks * wave(s.first + i, round)) i++;
  fprintf(stderr, "Wrong result of %s of %zu bytes: element %zu of rank %d is %g, not %g\n",
          op_names[w->op], w->bytes, (size_t)(got - w->result) + i, w->rank, got[i],
          s.base + s.ranks * wave(s.first + i, round));
  _Exit(3);
}

/* Checks the whole result of a round. */
static inline void check(const struct workload *w, unsigned round) {
  float ranks = (float)w->ranks, sum = ranks * (ranks + 1) / 2;
  size_t mine = (size_t)w->rank * w->part;
  int previous = (w->rank + w->ranks - 1) % w->ranks;
  struct stretch whole_sum = {w->count, sum, ranks, 0}, part_sum = {w->part, sum, ranks, mine};
  struct stretch of_root = {w->count, 1, 1, 0}, part_of_root = {w->part, 1, 1, mine};
  struct stretch of_previous = {w->count, (float)(previous + 1), 1, 0};
  if ((w->op == REDUCE || w->op == GATHER) && w->rank != 0) return;
  switch (w->op) {
  case ALLREDUCE:
  case REDUCE: check_stretch(w, w->result, whole_sum, round); break;
  case REDUCE_SCATTER: check_stretch(w, w->result, part_sum, round); break;
  case BROADCAST: check_stretch(w, w->result, of_root, round); break;
  case SCATTER: check_stretch(w, w->result, part_of_root, round); break;
  case SENDRECV: check_stretch(w, w->result, of_previous, round); break;
  case ALLGATHER:
  case GATHER:
  case ALLTOALL:
    for (int r = 0; r < w->ranks; r++) {
      struct stretch from = {w->part, (float)(r + 1), 1, w->op == ALLTOALL ? mine : 0};
      check_stretch(w, w->result + r * w->part, from, round);
    }
    break;
  case BARRIER:
  case OPS: break;
  }
}
#endif
