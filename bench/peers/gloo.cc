/*
 * Gloo over its TCP transport: one JSON line per size of one operation. Forks its ranks itself.
 *   ./gloo --ranks 2 --peer NAME --op allreduce [--variant ring|hd|hd-sync] [--min 4] ...
 * Variants: ring (default; the functions with options), hd (halving and doubling, the algorithm
 * classes), hd-sync (the same, with sockets polled busily). The latter two know allreduce and
 * reduceScatter only.
 */
#include "gloo_call.h"
#include "measure.h"
#include "buffers.h"

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/prefix_store.h>
#include <gloo/transport/tcp/device.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

// Rows of Shared; untouched rows cost no memory.
static constexpr int kMaxRanks = 64;
// Polled pairs write before they read: two large writes block each other, then time out.
static constexpr size_t kMaxSyncBytes = 1 << 20;

// What the forked ranks share, in memory that begins as zeros.
struct Shared {
  pthread_barrier_t barrier;
  place where;
  double values[kMaxRanks][MAX_ITERATIONS];
};

struct Rank {
  Shared* shared;
  int rank, ranks;
};

// Ranks sleep here, for Gloo's threads need the cores to end what a call began.
static void meet(void* self) { pthread_barrier_wait(&static_cast<Rank*>(self)->shared->barrier); }

static void maximum(void* self, double* values, long count) {
  auto* r = static_cast<Rank*>(self);
  auto& rows = r->shared->values;
  std::copy(values, values + count, rows[r->rank]);
  meet(self);
  for (int other = 0; other < r->ranks; other++)
    for (long i = 0; i < count; i++) values[i] = std::max(values[i], rows[other][i]);
  meet(self);
}

static void runRank(const options& o, Shared* shared, int rank, const std::string& folder) {
  Rank self{shared, rank, o.ranks};
  team t{rank, o.ranks, meet, maximum, nullptr, &self};
  if (o.ranks > 1 && o.ranks <= sysconf(_SC_NPROCESSORS_ONLN)) t.place = &shared->where;
  gloo::transport::tcp::attr address;
  address.hostname = "127.0.0.1";
  auto device = gloo::transport::tcp::CreateDevice(address);
  gloo::rendezvous::FileStore files(folder);
  const op what = op_named(o.op);
  const bool sync = !strcmp(o.variant, "hd-sync");
  float *send = make_buffer(o.max), *recv = make_buffer(o.max);
  size_t size = what == BARRIER ? 0 : next_size(&o, what, o.ranks, 0);
  do {
    if (sync && size > kMaxSyncBytes) break;
    // A context for each size: the algorithm classes take slots in it for good.
    auto context = std::make_shared<gloo::rendezvous::Context>(rank, o.ranks);
    gloo::rendezvous::PrefixStore store(std::to_string(size), files);
    context->connectFullMesh(store, device);
    for (int i = 0; sync && i < o.ranks; i++)
      if (i != rank) context->getPair(i)->setSync(true, true);
    workload w = make_workload(what, rank, o.ranks, size);
    w.send = send;
    w.recv = recv;
    Call call = makeCall(context, &w, o.variant);
    job j{w, [](void* call) { (*static_cast<Call*>(call))(); }, &call};
    measure(&t, &j, &o);
    meet(&self);
    size = what == BARRIER ? 0 : next_size(&o, what, o.ranks, size);
  } while (size);
}

static void startRank(const options& o, Shared* shared, int rank, const std::string& folder) {
  try {
    runRank(o, shared, rank, folder);
  } catch (const std::exception& error) {
    fprintf(stderr, "Rank %d ended: %s\n", rank, error.what());
    _exit(1);
  }
  // Not exit(): pairs that are taken down one after the other complain of each other's end.
  _exit(0);
}

// Waits for all ranks; when one fails, ends the others.
static int waitFor(const std::vector<pid_t>& ranks) {
  int failed = 0;
  for (size_t left = ranks.size(); left > 0; left--) {
    int status = 0;
    wait(&status);
    if (status == 0 || failed) continue;
    failed = 1;
    for (pid_t rank : ranks) kill(rank, SIGKILL);
  }
  return failed;
}

int main(int argc, char** argv) {
  const options o = read_options(argc, argv);
  op_named(o.op);
  if (o.ranks < 1 || o.ranks > kMaxRanks) refuse("--ranks from 1 to 64 was expected", "");
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                      -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto* shared = static_cast<Shared*>(memory);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, o.ranks);
  std::string folder = (std::filesystem::temp_directory_path() / "gloo-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) return 1;
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < o.ranks; rank++) {
    const pid_t child = fork();
    if (child == 0) startRank(o, shared, rank, folder);
    ranks.push_back(child);
  }
  const int failed = waitFor(ranks);
  std::filesystem::remove_all(folder);
  return failed;
}
