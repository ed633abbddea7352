// How each operation is called in Gloo.
#ifndef GLOO_CALL_H
#define GLOO_CALL_H
#include "workload.h"

#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/reduce.h>
#include <gloo/reduce_scatter.h>
#include <gloo/scatter.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

using Call = std::function<void()>;
using Context = std::shared_ptr<gloo::Context>;

// Gloo's own sum, compiled here with this machine's instructions; Debian's build has to do without.
inline void sumInto(void* out, const void* a, const void* b, size_t count) {
  gloo::sum<float>(out, a, b, count);
}

// Options and algorithms cannot be copied, and a std::function must be: hence shared_ptr.
template <typename Options>
Call rooted(std::shared_ptr<Options> options, void (*run)(Options&)) {
  options->setRoot(0);
  return [options, run] { run(*options); };
}

inline Call ringAllreduce(const Context& context, const workload& w) {
  auto o = std::make_shared<gloo::AllreduceOptions>(context);
  o->setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
  o->setOutput(w.send, w.count);
  void (*sum)(void*, const void*, const void*, size_t) = sumInto;
  o->setReduceFunction(sum);
  return [o] { gloo::allreduce(*o); };
}

inline Call halvingAllreduce(const Context& context, const workload& w) {
  std::vector<float*> vectors{w.send};
  auto algorithm = std::make_shared<gloo::AllreduceHalvingDoubling<float>>(
      context, vectors, static_cast<int>(w.count));
  return [algorithm] { algorithm->run(); };
}

// Works in place: the result is at the begin of what was sent. Gloo writes it there without waiting
// for its own sends: from some MiB on the other rank may get results instead of inputs, which the
// check finds. What was measured until then stands.
inline Call reduceScatter(const Context& context, const workload& w) {
  std::vector<float*> vectors{w.send};
  std::vector<int> counts(w.ranks, static_cast<int>(w.part));
  auto algorithm = std::make_shared<gloo::ReduceScatterHalvingDoubling<float>>(
      context, vectors, static_cast<int>(w.count), counts);
  return [algorithm] { algorithm->run(); };
}

inline Call broadcast(const Context& context, const workload& w) {
  auto o = std::make_shared<gloo::BroadcastOptions>(context);
  o->setOutput(w.send, w.count);
  return rooted(o, gloo::broadcast);
}

inline Call reduce(const Context& context, const workload& w) {
  auto o = std::make_shared<gloo::ReduceOptions>(context);
  o->setInput(w.send, w.count);
  o->setOutput(w.recv, w.count);
  o->setReduceFunction(sumInto);
  return rooted(o, gloo::reduce);
}

inline Call gather(const Context& context, const workload& w) {
  auto o = std::make_shared<gloo::GatherOptions>(context);
  o->setInput(w.send, w.part);
  if (w.rank == 0) o->setOutput(w.recv, w.part * w.ranks);
  return rooted(o, gloo::gather);
}

inline Call scatter(const Context& context, const workload& w) {
  auto o = std::make_shared<gloo::ScatterOptions>(context);
  std::vector<float*> parts;
  for (int r = 0; r < w.ranks; r++) parts.push_back(w.send + r * w.part);
  if (w.rank == 0) o->setInputs(parts, w.part);
  o->setOutput(w.recv, w.part);
  return rooted(o, gloo::scatter);
}

inline Call allgather(const Context& context, const workload& w) {
  auto o = std::make_shared<gloo::AllgatherOptions>(context);
  o->setInput(w.send, w.part);
  o->setOutput(w.recv, w.part * w.ranks);
  return [o] { gloo::allgather(*o); };
}

inline Call alltoall(const Context& context, const workload& w) {
  auto o = std::make_shared<gloo::AlltoallOptions>(context);
  o->setInput(w.send, w.part * w.ranks);
  o->setOutput(w.recv, w.part * w.ranks);
  return [o] { gloo::alltoall(*o); };
}

inline Call sendrecv(const Context& context, const workload& w) {
  using Buffer = std::shared_ptr<gloo::transport::UnboundBuffer>;
  Buffer out = context->createUnboundBuffer(w.send, w.bytes);
  Buffer in = context->createUnboundBuffer(w.recv, w.bytes);
  const int next = (w.rank + 1) % w.ranks, previous = (w.rank + w.ranks - 1) % w.ranks;
  // Any slot will do: nothing else runs in this context.
  return [=] {
    in->recv(previous, 0);
    out->send(next, 0);
    in->waitRecv();
    out->waitSend();
  };
}

inline Call barrier(const Context& context) {
  auto o = std::make_shared<gloo::BarrierOptions>(context);
  return [o] { gloo::barrier(*o); };
}

// Prepares a workload's operation, and sets where its result will be.
inline Call makeCall(const Context& context, workload* w, const std::string& variant) {
  const bool halving = variant.rfind("hd", 0) == 0;
  if (halving && w->op != ALLREDUCE && w->op != REDUCE_SCATTER)
    refuse("allreduce or reduceScatter was expected for variant hd", op_names[w->op]);
  const bool inPlace = w->op == ALLREDUCE || w->op == BROADCAST || w->op == REDUCE_SCATTER;
  w->result = inPlace ? w->send : w->recv;
  switch (w->op) {
    case ALLREDUCE: return halving ? halvingAllreduce(context, *w) : ringAllreduce(context, *w);
    case REDUCE_SCATTER: return reduceScatter(context, *w);
    case BROADCAST: return broadcast(context, *w);
    case ALLGATHER: return allgather(context, *w);
    case ALLTOALL: return alltoall(context, *w);
    case REDUCE: return reduce(context, *w);
    case GATHER: return gather(context, *w);
    case SCATTER: return scatter(context, *w);
    case SENDRECV: return sendrecv(context, *w);
    default: return barrier(context);
  }
}
#endif
