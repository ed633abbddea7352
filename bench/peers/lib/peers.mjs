// Who is measured, and how each is started at its best.
import { join } from "node:path";

/** The name of what all the others are held against. */
export const OURS = "mlsl-processes";
/** The name of the bound of limits.c. */
export const IDEAL = "ideal";

export const OPS = [
  "allreduce",
  "broadcast",
  "allgather",
  "reduceScatter",
  "alltoall",
  "reduce",
  "gather",
  "scatter",
  "sendrecv",
  "barrier",
];
/** What Gloo's algorithm classes offer. */
const HALVING_OPS = ["allreduce", "reduceScatter"];

/**
 * glibc's heap keeps what was freed. MPI takes scratch memory in every call; above 32 MiB glibc
 * would map it anew each time, and page faults would take ten times as long as the call.
 */
const KEEP_HEAP = { MALLOC_MMAP_MAX_: "0", MALLOC_TRIM_THRESHOLD_: String(32 * 2 ** 30) };

/** One operation in all sizes: the arguments that the programs of this folder share. */
function taskArgs(name, { op, min, max, step, budgetMs }) {
  const numbers = { min, max, step, "budget-ms": budgetMs };
  return ["--peer", name, "--op", op].concat(
    Object.entries(numbers).flatMap(([key, value]) => [`--${key}`, String(value)]),
  );
}

/** With more ranks than cores a waiting rank must give up its core: it yields, and is not bound. */
function openMpi(name, task, { build, cores }) {
  const crowded = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"];
  return {
    command: "mpirun.openmpi",
    args: [
      ...["--allow-run-as-root", "-np", String(task.ranks)],
      ...(task.ranks > cores ? crowded : ["--bind-to", "core"]),
      // Shared memory, with copies straight from the other's memory for large messages.
      ...["--mca", "pml", "ob1", "--mca", "btl", "self,vader"],
      ...[join(build, "mpi-openmpi"), ...taskArgs(name, task)],
    ],
    env: KEEP_HEAP,
  };
}

/** MPICH has no setting that makes waiting ranks yield; it is slow with more ranks than cores. */
function mpich(env) {
  return (name, task, { build, cores }) => ({
    command: "mpirun.mpich",
    args: [
      ...["-n", String(task.ranks)],
      ...(task.ranks > cores ? [] : ["-bind-to", "core"]),
      ...[join(build, "mpi-mpich"), ...taskArgs(name, task)],
    ],
    env: { ...KEEP_HEAP, ...env },
  });
}

/** Ranks are not bound: each has a thread of its own for its sockets, which goes where room is. */
function gloo(variant) {
  return (name, task, { build }) => ({
    command: join(build, "gloo"),
    args: [...["--ranks", String(task.ranks), "--variant", variant], ...taskArgs(name, task)],
    // Its ranks meet in a folder, which stays behind when its time is up.
    env: { ...KEEP_HEAP, TMPDIR: build },
  });
}

function ideal(name, task, { build }) {
  return {
    command: join(build, "limits"),
    args: ["--ranks", String(task.ranks), ...taskArgs(name, task)],
    env: {},
  };
}

function mlsl(...flags) {
  return (_name, { op, ranks, min, max, step, budgetMs }, { root }) => ({
    command: process.execPath,
    args: [
      ...[join(root, "packages/mlsl/bin/mlsl.js"), "bench", "--json", "--ops", op, ...flags],
      ...["--ranks", String(ranks), "--min", String(min), "--max", String(max)],
      ...["--step", String(step), "--budget-ms", String(budgetMs)],
    ],
    env: {},
  });
}

/** UCX instead of MPICH's own shared memory. */
const UCX = { MPIR_CVAR_NOLOCAL: "1", UCX_TLS: "self,posix,cma" };

/**
 * All who can be measured, in the order of the table. `start(name, task, machine)` gives the
 * command; `ops` are all unless said otherwise; `ours` marks this project's.
 */
export const PEERS = [
  { name: "openmpi", start: openMpi, ops: OPS },
  { name: "mpich", start: mpich({}), ops: OPS },
  { name: "mpich-ucx", start: mpich(UCX), ops: OPS },
  { name: "gloo", start: gloo("ring"), ops: OPS },
  { name: "gloo-hd", start: gloo("hd"), ops: ["allreduce"] },
  { name: "gloo-hd-sync", start: gloo("hd-sync"), ops: HALVING_OPS },
  { name: "mlsl-processes-outside", start: mlsl("--outside"), ops: OPS, ours: true },
  { name: OURS, start: mlsl(), ops: OPS, ours: true },
  { name: IDEAL, start: ideal, ops: OPS },
];

/** Names of peers of other projects. */
export const RIVALS = PEERS.filter(({ name, ours }) => !ours && name !== IDEAL).map(
  ({ name }) => name,
);
