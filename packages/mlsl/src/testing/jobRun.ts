/** Runs jobs of real ranks for tests. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type LaunchOptions,
  type LaunchResult,
  launch,
  type RankLine,
} from "../launcher/launch.js";

/** The forms that ranks take. */
export const FORMS = ["processes", "threads"] as const;

function fixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}.js`, import.meta.url));
}

/** What came of a job, and what was said on the way. */
export interface Outcome extends LaunchResult {
  readonly lines: readonly RankLine[];
  readonly messages: readonly string[];
}

/** Runs the script of that name in fixtures/. */
export async function job(
  script: string,
  options: Omit<LaunchOptions, "script">,
): Promise<Outcome> {
  const lines: RankLine[] = [];
  const messages: string[] = [];
  const result = await launch({
    script: fixture(script),
    onLine: (line) => void lines.push(line),
    onMessage: (text) => void messages.push(text),
    ...options,
  });
  return { ...result, lines, messages };
}

/** All lines of the ranks as "rank stream text", sorted. */
export function texts({ lines }: Outcome): string[] {
  return lines.map(({ rank, stream, text }) => `${rank} ${stream} ${text}`).sort();
}

/** Processes whose environment holds a mark, which only this job's ranks have. */
export function processesWith(mark: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
      } catch {
        return false; // ended between the listing and the reading
      }
    });
}
