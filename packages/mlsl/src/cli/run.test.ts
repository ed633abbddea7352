import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { runCommand, startCommand } from "../launcher/fixtures/commandLine.js";
import { fixture, leftAfterMoment } from "../launcher/fixtures/support.js";

const REPORT: string = fixture("report");

function sortedLines(text: string): string[] {
  return text.split("\n").filter(Boolean).toSorted();
}

test("version and help go to stdout with code 0", async () => {
  const version = await runCommand(["--version"]);
  const packageJson = new URL("../../package.json", import.meta.url);
  const expected = (JSON.parse(readFileSync(packageJson, "utf8")) as { version: string }).version;
  assert.deepEqual([version.code, version.stdout], [0, `${expected}\n`]);
  const help = await runCommand(["run", "--help"]);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--ranks.*--threads.*--segment-mib.*--no-pin.*--no-prefix/s);
});

const REFUSED: [args: string[], message: RegExp][] = [
  [["run"], /missing required argument 'script'/],
  [["run", "-n", "0", REPORT], /'0' is invalid/],
  [["run", "-n", "abc", REPORT], /'abc' is invalid/],
  [["run", "-n", "65", REPORT], /mlsl: Cannot start 65 ranks: .* from 1 to 64/],
  [["run", "--segment-mib", "1.5", REPORT], /'1.5' is invalid/],
  [["run", "--segment-mib", "5000", REPORT], /4294967296 is the most/],
  [["run", "absent.js"], /mlsl: Cannot run "absent.js": no such file/],
  [["run", "--what", REPORT], /unknown option '--what'/],
  [["fly"], /unknown command 'fly'/],
];

test("what is asked wrongly ends with code 2 and one line, and starts nothing", async () => {
  const ends = await Promise.all(REFUSED.map(([args]) => runCommand(args)));
  ends.forEach(({ code, stdout, stderr }, i) => {
    const [args, message] = REFUSED[i]!;
    assert.equal(code, 2, args.join(" "));
    assert.match(stderr, message);
    assert.equal(stderr.trim().split("\n").length, 1);
    assert.equal(stdout, "");
  });
  const { code, stderr } = await runCommand(["run", REPORT], { MLSL_SEGMENT_MIB: "many" });
  assert.equal(code, 2);
  assert.match(stderr, /MLSL_SEGMENT_MIB/);
});

test("lines bear their rank; flags after the script are the script's", async () => {
  const { code, stdout, stderr } = await runCommand([
    "run",
    "-n",
    "2",
    REPORT,
    "-n",
    "7",
    "--no-pin",
  ]);
  assert.equal(code, 0);
  const lines = sortedLines(stdout);
  assert.equal(lines.length, 2);
  lines.forEach((line, rank) => {
    assert.ok(line.startsWith(`[${rank}] {"args":["-n","7","--no-pin"]`), line);
    assert.ok(line.includes(`"MLSL_SEGMENT_BYTES":"${3 * 1024 * 1024}"`), line);
  });
  assert.deepEqual(sortedLines(stderr), ["[0] to stderr", "[1] to stderr"]);
});

test("--no-prefix passes the output on as it is", async () => {
  const { stdout, stderr } = await runCommand(["run", "-n", "1", "--no-prefix", REPORT]);
  assert.ok(stdout.startsWith("{"));
  assert.equal(stderr, "to stderr\n");
});

test("rank 0 reads the launcher's input, the others none", async () => {
  const command = startCommand(["run", "-n", "2", fixture("echoing")]);
  command.child.stdin!.end("12345");
  const { stdout } = await command.ended;
  assert.deepEqual(sortedLines(stdout), ["[0] 5 bytes", "[1] 0 bytes"]);
});

for (const form of [[], ["--threads"]]) {
  const name = form[0] ?? "processes";

  test(`${name}: HVD-4: the first failure is on top and gives the exit code`, async () => {
    const command = startCommand(["run", ...form, "-n", "3", fixture("noticing"), "2", "5"]);
    const { code, stderr } = await command.ended;
    assert.equal(code, 5);
    assert.match(stderr, /^mlsl: rank 2 exited with code 5; ending the other ranks\n\[/);
    assert.deepEqual(await leftAfterMoment(command.mark), []);
  });

  test(`${name}: a slow reader loses nothing`, async () => {
    // Around 450 kB, several sizes: more than the launcher's pipe takes, and less than that and
    // the rank's own, so that in some of them the rank ends while the rest of its output waits.
    await Promise.all([1900, 2100, 2300, 2500].map((lines) => checkSlowReader(form, lines)));
  });

  test(`${name}: a reader that goes away ends the job quietly`, async () => {
    const command = startCommand(["run", ...form, "-n", "2", fixture("flooding"), "100000"]);
    await once(command.child.stdout!, "data");
    command.child.stdout!.destroy();
    const { code, stderr } = await command.ended;
    assert.equal(code, 141);
    assert.equal(stderr, "");
    assert.deepEqual(await leftAfterMoment(command.mark), []);
  });

  test(`${name}: a signal ends all ranks, also those that ignore it`, async () => {
    const cases: [NodeJS.Signals, number][] = [
      ["SIGINT", 130],
      ["SIGTERM", 143],
      ["SIGHUP", 129],
    ];
    await Promise.all(cases.map(([signal, code]) => checkSignal(form, signal, code)));
  });
}

async function checkSlowReader(form: readonly string[], lines: number): Promise<void> {
  const command = startCommand(["run", ...form, "-n", "1", fixture("flooding"), String(lines)]);
  await once(command.child.stdout!, "data");
  command.child.stdout!.pause();
  // Output that is merely idle would have been given up by then.
  await setTimeout(1000);
  command.child.stdout!.resume();
  const { code, stdout } = await command.ended;
  assert.equal(code, 0);
  const expected = Array.from({ length: lines }, (_, i) => `[0] ${i}:${"é€😀x".repeat(i % 40)}\n`);
  assert.equal(stdout, `${expected.join("")}[0] end\n`);
}

async function checkSignal(
  form: readonly string[],
  signal: NodeJS.Signals,
  exitCode: number,
): Promise<void> {
  const command = startCommand(["run", ...form, "-n", "2", fixture("stubborn")]);
  await Promise.all([command.printed("[0] ready"), command.printed("[1] ready")]);
  command.child.kill(signal);
  const { code, stdout, stderr } = await command.ended;
  assert.equal(code, exitCode);
  assert.match(stderr, new RegExp(`^mlsl: ${signal} was received and passed on to the ranks`));
  if (form.length === 0) {
    assert.match(stderr, /killing ranks 0, 1/);
    const got = [0, 1].flatMap((rank) => [`[${rank}] got ${signal}`, `[${rank}] got SIGTERM`]);
    for (const line of got) assert.ok(stdout.includes(line), line);
  }
  assert.deepEqual(await leftAfterMoment(command.mark), []);
}

test("a second Ctrl-C kills at once", async () => {
  const command = startCommand(["run", "-n", "2", fixture("stubborn")]);
  await Promise.all([command.printed("[0] ready"), command.printed("[1] ready")]);
  command.child.kill("SIGINT");
  await Promise.all([command.printed("[0] got SIGINT"), command.printed("[1] got SIGINT")]);
  // Sooner it would count as the same key press.
  await setTimeout(250);
  command.child.kill("SIGINT");
  const { code, stdout, stderr } = await command.ended;
  assert.equal(code, 130);
  assert.match(stderr, /press Ctrl-C again to kill them at once\nmlsl: killing ranks 0, 1\n$/);
  assert.doesNotMatch(stdout, /SIGTERM/);
  assert.deepEqual(await leftAfterMoment(command.mark), []);
});

test("HVD-4: after a failure, ranks that ignore SIGTERM are killed", async () => {
  const READY_FILE = join(tmpdir(), `mlsl-ready-${process.pid}`);
  const command = startCommand(["run", "-n", "3", fixture("stubborn"), "4"], { READY_FILE });
  const { code, stdout, stderr } = await command.ended;
  rmSync(READY_FILE);
  assert.equal(code, 4);
  assert.match(
    stderr,
    /^mlsl: rank 0 exited with code 4; ending.*\nmlsl: killing ranks? [12, ]+\n$/,
  );
  assert.match(stdout, /\[1\] got SIGTERM/);
  assert.deepEqual(await leftAfterMoment(command.mark), []);
});

test("a failed job ends although nobody reads its output", async () => {
  const READY_FILE = join(tmpdir(), `mlsl-unread-${process.pid}`);
  const args = ["run", "-n", "2", fixture("stubborn"), "4", "flood"];
  const command = startCommand(args, { READY_FILE });
  await once(command.child.stdout!, "data");
  command.child.stdout!.pause();
  const [code] = await once(command.child, "exit");
  assert.equal(code, 4);
  assert.deepEqual(await leftAfterMoment(command.mark), []);
  command.child.stdout!.resume();
  await command.ended;
  rmSync(READY_FILE);
});

test("a launcher that is killed takes its ranks with it", async () => {
  const command = startCommand(["run", "-n", "3", fixture("stubborn")]);
  const ready = [0, 1, 2].map((rank) => command.printed(`[${rank}] ready`));
  await Promise.all(ready);
  command.child.kill("SIGKILL");
  assert.equal((await command.ended).signal, "SIGKILL");
  assert.deepEqual(await leftAfterMoment(command.mark), []);
});

test("a thread that is blocked in native code cannot hold the launcher", async () => {
  const command = startCommand(["run", "--threads", "-n", "2", fixture("blocked")]);
  const { signal, stderr } = await command.ended;
  assert.equal(signal, "SIGKILL");
  assert.match(
    stderr,
    /rank 0 exited with code 3.*killing rank 1.*rank 1 did not end even when killed/s,
  );
});

test("Ctrl-C while ranks are being started ends them, too", async () => {
  const options = `${process.env.NODE_OPTIONS ?? ""} --import ${fixture("interrupted")}`;
  const { mark, ended } = startCommand(["run", "-n", "2", fixture("stubborn")], {
    NODE_OPTIONS: options,
  });
  const { code, signal } = await ended;
  assert.deepEqual([code, signal], [130, null]);
  assert.deepEqual(await leftAfterMoment(mark), []);
});
