/**
 * Tests with several ranks: a script is launched as a job, its input goes to every rank as an
 * argument, and each rank's result comes back over its output.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";
import { type Group, init } from "mlsl";
import { launch } from "mlsl/launch";

/** How to run a script. */
export interface RunOptions<Input> {
  readonly ranks: number;
  readonly input: Input;
  /** Bytes of shared memory per rank. */
  readonly arenaBytes?: number;
}

/** What became of a rank. */
export type Outcome<Output> = { readonly value: Output } | { readonly error: string };

const DEFAULT_ARENA_BYTES = 16 * 1024 * 1024;

/** Marks the lines that carry a result; everything else is output for people. */
const MARK = "@result ";

/** Characters of a result per line: far below where the launcher cuts lines. */
const LINE_CHARACTERS = 16384;

function encode(value: unknown): string {
  return serialize(value).toString("base64");
}

function decode(text: string): unknown {
  return deserialize(Buffer.from(text, "base64"));
}

/** Runs the script on all ranks; failures of the body it serves are outcomes, too. */
export async function runRanks<Input, Output>(
  script: URL,
  { ranks, input, arenaBytes = DEFAULT_ARENA_BYTES }: RunOptions<Input>,
): Promise<Outcome<Output>[]> {
  const results = Array.from({ length: ranks }, () => "");
  const others: string[] = [];
  const { exitCode } = await launch({
    script: fileURLToPath(script),
    args: [encode(input)],
    ranks,
    arenaBytes,
    onLine: ({ rank, text }) => {
      if (text.startsWith(MARK)) results[rank] += text.slice(MARK.length);
      else others.push(`[${rank}] ${text}`);
    },
  });
  assert.equal(exitCode, 0, `a rank failed:\n${others.join("\n")}`);
  return results.map((text) => decode(text) as Outcome<Output>);
}

/** As {@link runRanks}, for scripts that are to succeed on all ranks. */
export async function resultsOf<Input, Output>(
  script: URL,
  options: RunOptions<Input>,
): Promise<Output[]> {
  const outcomes = await runRanks<Input, Output>(script, options);
  return outcomes.map((outcome, rank) => {
    assert.ok("value" in outcome, `rank ${rank}: ${"error" in outcome ? outcome.error : ""}`);
    return outcome.value;
  });
}

/** In a script: the body that is run on each rank. Its result must be cloneable. */
export async function serveRank<Input, Output>(
  body: (group: Group, input: Input) => Promise<Output>,
): Promise<void> {
  const { world } = await init();
  const input = decode(process.argv[2] ?? "") as Input;
  const outcome = await body(world, input).then(
    (value): Outcome<Output> => ({ value }),
    (error): Outcome<Output> => ({ error: String(error) }),
  );
  const text = encode(outcome);
  for (let at = 0; at < text.length; at += LINE_CHARACTERS) {
    console.log(MARK + text.slice(at, at + LINE_CHARACTERS));
  }
}
