// Runs one measured program and takes the lines of figures that it prints.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseLine } from "./lines.mjs";

/** How long a launcher may take, after its time, to end the ranks that it started. */
const GRACE_MS = 3000;
/** What is kept of a program's complaints: the first of them say what is wrong. */
const MAX_COMPLAINT_CHARS = 2000;

/** What a shell reports of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Signals a program and all that it started, which are in its process group. */
function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // All of it has ended.
  }
}

/**
 * Runs a program for a limited time; what it printed until then counts.
 *
 * @param start command, args and env, see peers.mjs
 * @param onLine called with every line of figures
 * @returns undefined if it ended well, else what went wrong
 */
export async function runLines({ command, args, env }, limitMs, onLine) {
  const child = spawn(command, args, {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text) => {
    if (complaint.length < MAX_COMPLAINT_CHARS) complaint += text;
  });
  let late = false;
  const term = setTimeout(() => {
    late = true;
    signalGroup(child, "SIGTERM");
  }, limitMs);
  const kill = setTimeout(() => signalGroup(child, "SIGKILL"), limitMs + GRACE_MS);
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(code === 0 ? undefined : (signal ?? code)));
  });
  // Ctrl-C does not reach the program, which is in a group of its own.
  const interrupt = () => {
    signalGroup(child, "SIGTERM");
    process.exit(INTERRUPTED);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      const line = parseLine(text);
      if (line !== undefined) onLine(line);
    }
    const ending = await ended;
    if (late) return `did not end in ${limitMs / 1000} s`;
    if (ending === undefined) return undefined;
    return `failed (${ending}): ${complaint.trim().slice(0, MAX_COMPLAINT_CHARS)}`;
  } finally {
    clearTimeout(term);
    clearTimeout(kill);
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    if (child.exitCode === null) signalGroup(child, "SIGKILL");
  }
}
