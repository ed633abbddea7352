// Runs test files with node:test, one process per file, and counts what happened.
import { readFileSync } from "node:fs";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { setTimeout } from "node:timers/promises";

/** Adds what one event of the runner says to the counts; returns a complaint, if there is one. */
export function countEvent(counts, type, data) {
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

/** Child processes of this one that are still there (Linux; elsewhere none are known). */
function childPids() {
  try {
    const text = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/**
 * Test processes that ignored the SIGTERM of their time-out would keep the runner waiting.
 * Returns when they are reaped, at the latest after two seconds: a killed process needs far less.
 */
async function killSurvivors(write) {
  for (const pid of childPids()) {
    write(`Test process ${pid} outlived its time-out and is killed\n`);
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended between the listing and the kill.
    }
  }
  for (let tries = 0; tries < 100 && childPids().length > 0; tries++) await setTimeout(20);
}

/**
 * Runs the files one after another, because each may use all cores, and reports as it goes.
 * A file whose process does not end by itself within `timeoutMs` is a failure: that is how a
 * leaked thread, timer or child process is found, so nothing here forces a test process to end.
 *
 * @param files absolute paths
 * @param timeoutMs most that one file may take, milliseconds
 * @param write receives the report as text
 * @returns counts of passed, failed and skipped tests
 */
export async function runTests({ files, timeoutMs, write }) {
  // Node 20's run() has no execArgv; the variable also reaches ranks that a test starts.
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --enable-source-maps`.trim();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const complaints = [];
  const stream = run({ files, timeout: timeoutMs, concurrency: 1 });
  for (const type of ["test:pass", "test:fail"]) {
    stream.on(type, (data) => {
      const complaint = countEvent(counts, type, data);
      if (complaint !== undefined) complaints.push(complaint);
    });
  }
  for await (const text of stream.compose(new spec())) write(text);
  for (const complaint of complaints) write(`✖ ${complaint}\n`);
  await killSurvivors(write);
  write(`${summaryLine(counts)}\n`);
  return counts;
}
