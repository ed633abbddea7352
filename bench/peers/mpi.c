/*
 * Open MPI and MPICH: one JSON line per size of one operation.
 *   mpirun -np 2 ./mpi --peer NAME --op allreduce [--min 4] [--max 67108864] [--budget-ms 300]
 */
#define _GNU_SOURCE
#include "buffers.h"
#include "measure.h"
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

static void call(void *self) {
  const struct workload *w = self;
  int count = (int)w->count, part = (int)w->part;
  int next = (w->rank + 1) % w->ranks, previous = (w->rank + w->ranks - 1) % w->ranks;
  MPI_Comm all = MPI_COMM_WORLD;
  switch (w->op) {
  case ALLREDUCE: MPI_Allreduce(MPI_IN_PLACE, w->send, count, MPI_FLOAT, MPI_SUM, all); break;
  case BROADCAST: MPI_Bcast(w->send, count, MPI_FLOAT, 0, all); break;
  case ALLGATHER: MPI_Allgather(w->send, part, MPI_FLOAT, w->recv, part, MPI_FLOAT, all); break;
  case REDUCE_SCATTER:
    MPI_Reduce_scatter_block(w->send, w->recv, part, MPI_FLOAT, MPI_SUM, all);
    break;
  case ALLTOALL: MPI_Alltoall(w->send, part, MPI_FLOAT, w->recv, part, MPI_FLOAT, all); break;
  case REDUCE: MPI_Reduce(w->send, w->recv, count, MPI_FLOAT, MPI_SUM, 0, all); break;
  case GATHER: MPI_Gather(w->send, part, MPI_FLOAT, w->recv, part, MPI_FLOAT, 0, all); break;
  case SCATTER: MPI_Scatter(w->send, part, MPI_FLOAT, w->recv, part, MPI_FLOAT, 0, all); break;
  case SENDRECV:
    MPI_Sendrecv(w->send, count, MPI_FLOAT, next, 0, w->recv, count, MPI_FLOAT, previous, 0, all,
                 MPI_STATUS_IGNORE);
    break;
  case BARRIER: MPI_Barrier(all); break;
  case OPS: break;
  }
}

static void meet(void *self) {
  (void)self;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void maximum(void *self, double *values, long count) {
  (void)self;
  MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/*
 * Words in memory that the ranks share; they are all on this machine. A file and not a window of
 * MPI: with some transports a window takes messages instead of memory.
 */
static struct place *share_place(int rank) {
  char name[] = "/dev/shm/bench-peers-XXXXXX";
  int file = rank == 0 ? mkstemp(name) : -1;
  if (rank == 0 && (file < 0 || ftruncate(file, sizeof(struct place))))
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) file = open(name, O_RDWR);
  void *memory = mmap(0, sizeof(struct place), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
  close(file);
  /* Once all have it its name can go, so that nothing stays behind however this ends. */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
  return memory;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct options o = read_options(argc, argv);
  enum op op = op_named(o.op);
  struct team t = {.meet = meet, .maximum = maximum};
  MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &t.ranks);
  if (t.ranks > 1 && t.ranks <= sysconf(_SC_NPROCESSORS_ONLN)) t.place = share_place(t.rank);
  float *send = make_buffer(o.max), *recv = make_buffer(o.max);
  size_t size = op == BARRIER ? 0 : next_size(&o, op, t.ranks, 0);
  do {
    struct job j = {make_workload(op, t.rank, t.ranks, size), call, 0};
    j.self = &j.work;
    j.work.send = send;
    j.work.recv = recv;
    j.work.result = op == ALLREDUCE || op == BROADCAST ? send : recv;
    measure(&t, &j, &o);
    size = op == BARRIER ? 0 : next_size(&o, op, t.ranks, size);
  } while (size);
  MPI_Finalize();
  return 0;
}
