/*
 * The ideal: what no implementation in shared memory can beat by much. Ranks are threads pinned to
 * cores of their own; all buffers lie in one memory; each result is read from where it was sent
 * and written to where it belongs, once, by all cores at the same time; a meeting before and one
 * after are all that coordinates. One JSON line per size of one operation.
 *   ./limits --ranks 2 --op allreduce [--min 4] [--max 67108864] [--budget-ms 300]
 */
#define _GNU_SOURCE
#include "buffers.h"
#include "measure.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { MAX_RANKS = 64 };

/* One rank's word on a cache line of its own: how many meetings it has come to. */
struct arrival {
  unsigned count __attribute__((aligned(64)));
};

/* What the threads share. */
static struct options options;
static struct arrival arrivals[MAX_RANKS];
static struct place where;
static struct workload works[MAX_RANKS];
static double rows[MAX_RANKS][MAX_ITERATIONS];

/* Everyone tells all the others: one way of a cache line, the least that a meeting can take. */
static void meet(void *self) {
  int rank = *(const int *)self;
  /* Its own word only: no other writes it. */
  unsigned count = arrivals[rank].count + 1;
  __atomic_store_n(&arrivals[rank].count, count, __ATOMIC_RELEASE);
  for (int other = 0; other < options.ranks; other++)
    /* The difference, for one that is quick may be at the next meeting already. */
    while ((int)(__atomic_load_n(&arrivals[other].count, __ATOMIC_ACQUIRE) - count) < 0)
      __builtin_ia32_pause();
}

static void maximum(void *self, double *values, long count) {
  memcpy(rows[*(const int *)self], values, count * sizeof *values);
  meet(self);
  for (int other = 0; other < options.ranks; other++)
    for (long i = 0; i < count; i++)
      if (rows[other][i] > values[i]) values[i] = rows[other][i];
  meet(self);
}

/* Sums elements [begin, end) of all vectors into `out`, and back into all if `everywhere`. */
static void sum(float *out, size_t begin, size_t end, int everywhere) {
  /* Stretches that stay in the first cache, between the passes over the ranks. */
  enum { STRETCH = 2048 };
  for (size_t at = begin; at < end; at += STRETCH) {
    size_t count = end - at < STRETCH ? end - at : STRETCH;
    const float *restrict a = works[0].send + at;
    const float *restrict b = works[1].send + at;
    float *restrict o = out + (at - begin);
    if (out == works[0].send + begin)
      for (size_t i = 0; i < count; i++) o[i] += b[i];
    else
      for (size_t i = 0; i < count; i++) o[i] = a[i] + b[i];
    for (int r = 2; r < options.ranks; r++) {
      const float *restrict c = works[r].send + at;
      for (size_t i = 0; i < count; i++) o[i] += c[i];
    }
    for (int r = 1; everywhere && r < options.ranks; r++)
      memcpy(works[r].send + at, o, count * sizeof *o);
  }
}

static void copy(float *to, const float *from, size_t count) {
  memcpy(to, from, count * sizeof *to);
}

/* The part of the work that falls to one rank. */
static void work(const struct workload *w) {
  int rank = w->rank, ranks = w->ranks;
  size_t part = w->part, mine = rank * part;
  size_t begin = w->count * rank / ranks, end = w->count * (rank + 1) / ranks;
  switch (w->op) {
  case ALLREDUCE: sum(works[0].send + begin, begin, end, 1); break;
  case REDUCE: sum(works[0].recv + begin, begin, end, 0); break;
  case REDUCE_SCATTER: sum(w->recv, mine, mine + part, 0); break;
  case BROADCAST:
    if (rank != 0) copy(w->send, works[0].send, w->count);
    break;
  case ALLGATHER:
    for (int r = 0; r < ranks; r++) copy(w->recv + r * part, works[r].send, part);
    break;
  case ALLTOALL:
    for (int r = 0; r < ranks; r++) copy(w->recv + r * part, works[r].send + mine, part);
    break;
  case GATHER: copy(works[0].recv + mine, w->send, part); break;
  case SCATTER: copy(w->recv, works[0].send + mine, part); break;
  case SENDRECV: copy(w->recv, works[(rank + ranks - 1) % ranks].send, w->count); break;
  case BARRIER:
  case OPS: break;
  }
}

static void call(void *self) {
  struct workload *w = self;
  meet(&w->rank);
  if (w->op == BARRIER) return;
  work(w);
  meet(&w->rank);
}

static void *run_rank(void *self) {
  int rank = *(int *)self, ranks = options.ranks;
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(rank, &core);
  sched_setaffinity(0, sizeof core, &core);
  enum op op = op_named(options.op);
  struct team t = {rank, ranks, meet, maximum, &where, self};
  float *send = make_buffer(options.max), *recv = make_buffer(options.max);
  size_t size = op == BARRIER ? 0 : next_size(&options, op, ranks, 0);
  do {
    struct job j = {make_workload(op, rank, ranks, size), call, &works[rank]};
    j.work.send = send;
    j.work.recv = recv;
    j.work.result = op == ALLREDUCE || op == BROADCAST ? send : recv;
    works[rank] = j.work;
    meet(self);
    measure(&t, &j, &options);
    meet(self);
    size = op == BARRIER ? 0 : next_size(&options, op, ranks, size);
  } while (size);
  return 0;
}

int main(int argc, char **argv) {
  options = read_options(argc, argv);
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (options.ranks < 2 || options.ranks > cores || options.ranks > MAX_RANKS)
    refuse("--ranks from 2 to the number of cores was expected", "");
  pthread_t threads[MAX_RANKS];
  int ids[MAX_RANKS];
  for (int r = 0; r < options.ranks; r++) {
    ids[r] = r;
    pthread_create(&threads[r], 0, run_rank, &ids[r]);
  }
  for (int r = 0; r < options.ranks; r++) pthread_join(threads[r], 0);
  return 0;
}
