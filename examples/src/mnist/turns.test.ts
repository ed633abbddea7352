import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "mlsl/launch";

const SCRIPT = fileURLToPath(new URL("./train.js", import.meta.url));
const ARGS = ["--events", "--turns", "--net", "mlp", "--epochs", "2", "--limit", "256"];

for (const form of ["processes", "threads"] as const) {
  test(`a training goes on when it is given a turn, ${form}`, async () => {
    const input = new PassThrough();
    const kinds: string[] = [];
    const { exitCode } = await launch({
      script: SCRIPT,
      args: ARGS,
      ranks: 2,
      form,
      input,
      onLine: ({ text }) => {
        const kind = /"kind":"(start|epoch|done)"/.exec(text)?.[1];
        if (kind === undefined) return;
        // Nothing may have come since the last turn was given.
        kinds.push(kind);
        if (kind === "done") input.end();
        setTimeout(() => {
          if (kind === "done") return;
          kinds.push("turn");
          input.write("go\n");
        }, 50);
      },
    });
    assert.equal(exitCode, 0);
    assert.deepEqual(kinds, ["start", "turn", "epoch", "turn", "epoch", "turn", "done"]);
  });
}
