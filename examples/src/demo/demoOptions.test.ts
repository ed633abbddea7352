import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { parseDemoOptions } from "./demoOptions.js";

const parse = (...args: string[]) => parseDemoOptions(["node", "demo", ...args]);

test("without options LeNet is compared on 1 and 2 ranks", () => {
  assert.deepEqual(parse(), {
    training: { net: "lenet", epochs: 5, seed: 1, limit: 8192 },
    ranks: [1, 2],
    threads: false,
    json: false,
    svg: resolve("demo-loss.svg"),
  });
});

test("every option arrives", () => {
  const args = "--net mlp --ranks 2,4 --epochs 3 --threads --seed 0 --json --svg a.svg --limit 256";
  assert.deepEqual(parse(...args.split(" ")), {
    training: { net: "mlp", epochs: 3, seed: 0, limit: 256 },
    ranks: [2, 4],
    threads: true,
    json: true,
    svg: resolve("a.svg"),
  });
  assert.deepEqual(parse("--ranks", "8").ranks, [1, 8]);
});

test("what cannot be is refused with a reason", (t) => {
  const said: string[] = [];
  t.mock.method(process.stderr, "write", (text: string) => said.push(text) > 0);
  const wrong: [string, RegExp][] = [
    ["--net vgg", /Allowed choices are lenet, mlp/],
    ["--ranks 1", /Expected a number from 2 to 64/],
    ["--ranks 2,1", /the smaller one first/],
    ["--ranks 1,2,4", /or two/],
    ["--ranks x", /Expected a number/],
    ["--ranks 3", /Cannot train lenet on 3 ranks: expected a divisor of its batch of 64/],
    ["--epochs 0", /whole number from 1 to 1000/],
    ["--epochs 1.5", /whole number/],
    ["--seed -1", /whole number from 0/],
    ["--limit 100", /use --limit 64$/m],
    ["--limit 9000", /from 1 to 8192/],
    ["--svg no/such/folder/a.svg", /in a folder that exists/],
    ["--svg .", /expected the name of a file/],
    ["extra", /too many arguments/],
    ["--unknown", /unknown option/],
  ];
  for (const [args, reason] of wrong) {
    said.length = 0;
    assert.throws(() => parse(...args.split(" ")), { name: "CommanderError", exitCode: 1 }, args);
    assert.match(said.join(""), reason);
  }
});
