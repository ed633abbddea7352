// What the style checks allow, and why. Every entry carries its reason.

/** The longest file, in lines: what one reading holds. Generated files are excepted. */
export const MAX_FILE_LINES = 500;
/** Limits for AssemblyScript, which Biome cannot parse; the same numbers as in biome.json. */
export const MAX_FUNCTION_LINES = 60;
export const MAX_PARAMETERS = 5;
export const MAX_COLUMNS = 100;
/** How far above an atomic operation its reason may stand. */
export const ATOMIC_COMMENT_LINES = 4;

/**
 * Layers of packages/mlsl/src by their first folder (or file), lowest first. A file imports from
 * its own layer and from those before it; two in one row may know each other, and Biome's
 * noImportCycles keeps the files apart.
 */
export const LAYERS = [
  // Numbers, names and layouts that every layer speaks of.
  ["memory", "errors", "types"],
  // Arithmetic on the segment; knows addresses, not ranks.
  ["kernels"],
  // What moves where: pure functions of (rank, ranks, count); knows nothing that runs.
  ["schedules"],
  // Carries out requests as a state machine; knows no transport, no clock and no memory.
  ["engine"],
  // Plays a transport and a clock for engines: virtual time, a network, faults.
  ["simulation"],
  // Threads that drive engines beside their ranks; knows no groups but their numbers.
  ["progress"],
  // Groups and requests: runs schedules with kernels.
  ["collectives"],
  // Finds a rank's place in its job and makes its first group.
  ["bootstrap"],
  // Starts ranks, so it must know what bootstrap reads.
  ["launcher"],
  // What people call: the command line and the benchmark that it offers.
  ["cli", "bench"],
  // The public face re-exports from anywhere.
  ["index"],
];

/**
 * Sources that hold logic and have no test of their own name beside them. Files without logic
 * (types and constants only), generated files, fixtures/ and testing/ need no entry.
 */
export const UNTESTED = {
  "packages/mlsl/src/bench/coreDistance.ts":
    "needs ranks of its own: cli/benchCommand.test.ts checks its figure",
  "packages/mlsl/src/bench/rankMain.ts":
    "what a rank of the bench runs: cli/benchCommand.test.ts starts it",
  "packages/mlsl/src/cli/main.ts": "launcher/launch.test.ts and cli tests start the command itself",
  "packages/mlsl/src/cli/runCommand.ts": "cli tests start the command itself",
  "packages/mlsl/src/collectives/arguments/moves.ts":
    "reached through a group: groups/localGroup.arguments.test.ts has every wrong call",
  "packages/mlsl/src/collectives/arguments/reductions.ts":
    "reached through a group: groups/localGroup.arguments.test.ts has every wrong call",
  "packages/mlsl/src/collectives/arguments/variable.ts":
    "reached through a group: groups/localGroup.arguments.test.ts has every wrong call",
  "packages/mlsl/src/collectives/execution/directRunner.ts":
    "reached through a group: groups/localGroup*.test.ts over all ranks, sizes and places",
  "packages/mlsl/src/collectives/execution/execution.ts":
    "reached through a group: groups/localGroup*.test.ts over all ranks, sizes and places",
  "packages/mlsl/src/collectives/execution/meeting.ts":
    "reached through a group: groups/localGroup*.test.ts; errors in localGroup.mismatch.test.ts",
  "packages/mlsl/src/collectives/execution/messageRunner.ts":
    "reached through a group: groups/localGroup.algorithms.test.ts over all algorithms",
  "packages/mlsl/src/collectives/execution/queue.ts":
    "reached through a group: groups/localGroup.test.ts and localGroup.errors.test.ts",
  "packages/mlsl/src/collectives/groups/groupMemory.ts":
    "reached through a group: groups/groups.test.ts counts its bytes",
  "packages/mlsl/src/collectives/groups/host.ts":
    "reached through a group: groups/groups.test.ts, requests/requests.test.ts",
  "packages/mlsl/src/collectives/groups/messageForms.ts":
    "testing/jobs.test.ts calls every form of every operation",
  "packages/mlsl/src/collectives/groups/moveForms.ts":
    "testing/jobs.test.ts calls every form of every operation",
  "packages/mlsl/src/collectives/groups/operationForms.ts":
    "testing/jobs.test.ts calls every form of every operation",
  "packages/mlsl/src/collectives/groups/reductionForms.ts":
    "testing/jobs.test.ts calls every form of every operation",
  "packages/mlsl/src/collectives/groups/variableForms.ts":
    "testing/jobs.test.ts calls every form of every operation",
  "packages/mlsl/src/collectives/groups/world.ts": "every test of groups opens worlds with it",
  "packages/mlsl/src/collectives/messages/inbox.ts":
    "needs an outbox on another rank: messages/messages*.test.ts",
  "packages/mlsl/src/collectives/messages/message.ts":
    "its texts are checked in messages/messages.errors.test.ts",
  "packages/mlsl/src/collectives/messages/messageChannel.ts":
    "needs ranks: messages/messages*.test.ts",
  "packages/mlsl/src/collectives/messages/messageTasks.ts":
    "reached through a group: messages/messages.errors.test.ts",
  "packages/mlsl/src/collectives/messages/outbox.ts":
    "needs an inbox on another rank: messages/messages*.test.ts",
  "packages/mlsl/src/collectives/requests/channel.ts":
    "a predicate of one line over types: requests/requests.test.ts",
  "packages/mlsl/src/collectives/requests/lostRanks.ts":
    "needs ranks that end: groups/groups.test.ts",
  "packages/mlsl/src/collectives/requests/rankContext.ts":
    "needs ranks that sleep: testing/jobs.test.ts, testing/jobs.groups.test.ts",
  "packages/mlsl/src/collectives/requests/task.ts":
    "reached through a group: requests/requests.test.ts, groups/groups.test.ts",
  "packages/mlsl/src/collectives/workers/plans.ts":
    "reached through a group: groups/localGroup.workers.test.ts",
  "packages/mlsl/src/collectives/workers/staging.ts":
    "reached through a group: groups/localGroup.workers.test.ts",
  "packages/mlsl/src/collectives/workers/userChannel.ts":
    "reached through a group: groups/localGroup.workers.test.ts",
  "packages/mlsl/src/collectives/workers/workerChannel.ts":
    "reached through a group: groups/localGroup.workers.test.ts, testing/jobs.workers.test.ts",
  "packages/mlsl/src/collectives/workers/workerTask.ts":
    "reached through a group: groups/localGroup.workers.test.ts",
  "packages/mlsl/src/engine/dependencies.ts":
    "reached through programs: engine/compile.test.ts has them chunk by chunk",
  "packages/mlsl/src/engine/group.ts": "a part of an engine: engine/engine.test.ts",
  "packages/mlsl/src/engine/outgoing.ts": "a part of an engine: engine/engine.test.ts",
  "packages/mlsl/src/engine/peer.ts": "a part of an engine: engine/engine.test.ts",
  "packages/mlsl/src/engine/request.ts": "a part of an engine: engine/engine.test.ts",
  "packages/mlsl/src/engine/words.ts": "what engines say, which all tests of engines hear",
  "packages/mlsl/src/errors/segmentFullError.ts": "made by the allocator: memory/allocator.test.ts",
  "packages/mlsl/src/kernels/chooseKernels.ts": "kernels.test.ts is one suite over all kernels",
  "packages/mlsl/src/kernels/plainKernels.ts": "kernels.test.ts is one suite over all kernels",
  "packages/mlsl/src/kernels/plainMemory.ts": "kernels.test.ts is one suite over all kernels",
  "packages/mlsl/src/kernels/plainReduce.ts":
    "kernels.reduce.test.ts is one suite over all kernels",
  "packages/mlsl/src/kernels/wasmKernels.ts": "kernels.test.ts is one suite over all kernels",
  "packages/mlsl/src/launcher/job.ts": "launch.test.ts runs whole jobs through it",
  "packages/mlsl/src/launcher/jobOutput.ts": "launch.test.ts runs whole jobs through it",
  "packages/mlsl/src/launcher/launchOptions.ts": "launch.test.ts checks every refusal",
  "packages/mlsl/src/launcher/processRankPreload.ts":
    "runs before a script in its process: launch.test.ts",
  "packages/mlsl/src/launcher/processRanks.ts": "launch.test.ts runs whole jobs through it",
  "packages/mlsl/src/launcher/rankHandle.ts": "launch.test.ts runs whole jobs through it",
  "packages/mlsl/src/launcher/threadRankMain.ts": "runs in a worker: launch.test.ts",
  "packages/mlsl/src/launcher/threadRanks.ts": "launch.test.ts runs whole jobs through it",
  "packages/mlsl/src/memory/sleepers.ts":
    "needs ranks that sleep: testing/jobs.test.ts, testing/jobs.groups.test.ts",
  "packages/mlsl/src/progress/chunkKernels.ts":
    "needs an engine that runs: groups/localGroup.workers.test.ts",
  "packages/mlsl/src/progress/completions.ts":
    "needs a worker that runs: progress/rankDriver.test.ts",
  "packages/mlsl/src/progress/kernelRunner.ts":
    "testing/programs/randomProgram.test.ts compares all that it computes",
  "packages/mlsl/src/progress/peerLink.ts": "its records are those of progress/wire.test.ts",
  "packages/mlsl/src/progress/progressWorker.ts":
    "groups/localGroup.workers.test.ts steps workers of all ranks in one thread",
  "packages/mlsl/src/progress/records.ts":
    "places in records, which both their sides use: progress/wire.test.ts",
  "packages/mlsl/src/progress/threadAffinity.ts":
    "would pin the thread of the test: testing/jobs.workers.test.ts",
  "packages/mlsl/src/progress/workerMain.ts":
    "runs in a thread of its own: progress/rankDriver.test.ts",
  "packages/mlsl/src/progress/workerThreads.ts":
    "progress/rankDriver.test.ts starts workers with it",
  "packages/mlsl/src/schedules/transport/binomial.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/bruck.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/chain.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/dissemination.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/doubleTree.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/doubling.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/exchange.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/halvingDoubling.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/halvingReduceScatter.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/linear.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/ring.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/schedules/transport/scatterAllgather.ts":
    "testing/transport/transportProof.test.ts plays every algorithm for all ranks",
  "packages/mlsl/src/simulation/programs/collectiveCases.ts":
    "what collectives mean: testing/transport/transportProof.test.ts plays every algorithm by it",
  "packages/mlsl/src/simulation/programs/collectiveRun.ts":
    "a collective of a random program: playProgram.test.ts plays them",
  "packages/mlsl/src/simulation/programs/programProbe.ts":
    "needs a program that is played: playProgram.test.ts compares what it writes down",
  "packages/tfjs/src/agreement/agreeOnEntries.ts":
    "needs ranks: optimizer/ownLoop.test.ts and weights/broadcastWeights.test.ts",
  "packages/tfjs/src/agreement/allocateAgreed.ts":
    "needs ranks short of memory: optimizer/ownLoop.test.ts",
  "packages/tfjs/src/optimizer/averageLogs.ts":
    "needs ranks in model.fit: optimizer/trainingLoops.test.ts",
  "packages/tfjs/src/optimizer/epochSync.ts":
    "needs ranks in model.fit: optimizer/trainingLoops.test.ts",
  "packages/tfjs/src/optimizer/flatLayout.ts": "needs ranks: optimizer/ownLoop.test.ts",
  "packages/tfjs/src/optimizer/gradientAverager.ts":
    "needs ranks: optimizer/ownLoop.test.ts and distributedOptimizer.test.ts",
  "packages/tfjs/src/optimizer/participant.ts":
    "needs a model in training: optimizer/trainingLoops.test.ts",
  "packages/tfjs/src/optimizer/scaleInto.ts":
    "needs ranks: weights of batches in optimizer/ownLoop.test.ts",
  "packages/tfjs/src/optimizer/tensorValues.ts":
    "needs gradients on backends: optimizer/ownLoop.test.ts",
  "packages/tfjs/src/weights/broadcastBytes.ts": "needs ranks: weights/broadcastWeights.test.ts",
};
