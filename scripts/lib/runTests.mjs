// Runs test files with node:test, one process per file, and counts what happened.
import { readdirSync, readFileSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { setTimeout } from "node:timers/promises";

/** How long after its time-out a test process may take to end by itself, milliseconds. */
const GRACE_MS = 1000;
/** How often the watchdog looks, milliseconds: far below the grace, and no load. */
const LOOK_MS = 250;

/** Adds what one event of the runner says to the counts; returns a complaint, if there is one. */
function countEvent(counts, type, data) {
  if (data.details?.type === "suite") return undefined;
  if (type === "test:fail") {
    counts.failed++;
  } else if (data.name === data.file && data.nesting === 0) {
    // The runner reports a file in which it saw no test as one passed test of the file's name.
    counts.failed++;
    return `${data.file}: holds no test; a test file that tests nothing would stay green for ever`;
  } else if (data.skip !== undefined || data.todo !== undefined) {
    counts.skipped++;
  } else {
    counts.passed++;
  }
  return undefined;
}

/** The last line of a run: what people and machines read first. */
export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** Child processes of a process, whichever of its threads started them (Linux; else none). */
function childrenOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
        .split(" ")
        .filter(Boolean)
        .map(Number),
    );
  } catch {
    // The process, or one of its threads, ended while it was read.
    return [];
  }
}

/** Kills a process and what it started, parents first, so that they start no more. */
function killTree(pid) {
  const children = childrenOf(pid);
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended between the listing and the kill.
  }
  for (const child of children) killTree(child);
}

/**
 * Kills test processes that are still there after `limitMs`: those that ignore the SIGTERM of
 * the runner's time-out, and all on newer versions of Node.js, whose time-out bounds the tests
 * of a file but not its process. The runner then reports their files as failed.
 */
function watch(limitMs, write) {
  const seenSince = new Map();
  const look = () => {
    const now = performance.now();
    for (const pid of childrenOf(process.pid)) {
      if (!seenSince.has(pid)) seenSince.set(pid, now);
      if (now - seenSince.get(pid) < limitMs) continue;
      write(`Test process ${pid} did not end within ${limitMs} ms and is killed\n`);
      killTree(pid);
      seenSince.set(pid, now);
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    /** Resolves when no test process is left. */
    async end() {
      while (childrenOf(process.pid).length > 0) await setTimeout(20);
      clearInterval(timer);
    },
  };
}

/**
 * Runs the files one after another, because each may use all cores, and reports as it goes. Those
 * that are known to use one thread run first, two at a time.
 * A file whose process does not end by itself within `timeoutMs` is a failure: that is how a
 * leaked thread, timer or child process is found, so nothing here forces a test process to end
 * before.
 *
 * @param files absolute paths
 * @param sideBySide absolute paths of files that use one thread each
 * @param timeoutMs most that one file may take, milliseconds
 * @param write receives the report as text
 * @returns counts of passed, failed and skipped tests
 */
export async function runTests({ files, sideBySide = [], timeoutMs, write }) {
  // Node 20's run() has no execArgv; the variable also reaches ranks that a test starts.
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --enable-source-maps`.trim();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const complaints = [];
  for (const phase of [
    { files: sideBySide, concurrency: 2 },
    { files, concurrency: 1 },
  ]) {
    if (phase.files.length === 0) continue;
    const stream = run({ ...phase, timeout: timeoutMs });
    for (const type of ["test:pass", "test:fail"]) {
      stream.on(type, (data) => {
        const complaint = countEvent(counts, type, data);
        if (complaint !== undefined) complaints.push(complaint);
      });
    }
    const watchdog = watch(timeoutMs + GRACE_MS, write);
    for await (const text of stream.compose(new spec())) write(text);
    await watchdog.end();
  }
  for (const complaint of complaints) write(`✖ ${complaint}\n`);
  write(`${summaryLine(counts)}\n`);
  return counts;
}
