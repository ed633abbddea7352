import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync } from "node:fs";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { loadNative, type Native } from "./native.js";

const PAGE = 65536;
const MODULE = new URL("./native.js", import.meta.url).href;
/** Longer than any healthy run; it ends a test whose wake-up was lost. */
const LIMIT_MS = 20_000;

function native(): Native {
  const door = loadNative();
  assert.ok(door, "these tests need Linux and koffi, a development dependency");
  return door;
}

function makeFile(byteLength: number): number {
  const fd = native().memfdCreate("mlsl-test");
  native().posixFallocate(fd, byteLength);
  return fd;
}

function mapped(fd: number): Uint8Array {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const bytes = new Uint8Array(memory.buffer);
  native().mapShared(bytes, fd);
  return bytes;
}

test("a file in memory has the reserved size and no name", () => {
  const fd = makeFile(3 * PAGE);
  const stat = fstatSync(fd);
  assert.equal(stat.size, 3 * PAGE);
  assert.equal(stat.nlink, 0);
  closeSync(fd);
});

test("two mappings of a file see each other's bytes", () => {
  const fd = makeFile(PAGE);
  const first = mapped(fd);
  const second = mapped(fd);
  closeSync(fd);
  for (let i = 0; i < PAGE; i += 997) {
    first[i] = i % 251;
    assert.equal(second[i], i % 251);
  }
  second[5] = 77;
  assert.equal(first[5], 77);
});

test("a bad descriptor is an error that names call and code", () => {
  assert.throws(() => native().posixFallocate(9999, PAGE), {
    code: "EBADF",
    message: /reserve 65536 bytes of memory: posix_fallocate failed with EBADF/,
  });
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const bytes = new Uint8Array(memory.buffer);
  bytes[0] = 5;
  assert.throws(() => native().mapShared(bytes, 9999), { code: "EBADF" });
  assert.equal(bytes[0], 5, "a refused mapping leaves the memory as it was");
});

test("only whole pages can be mapped", () => {
  const fd = makeFile(PAGE);
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  for (const bytes of [
    new Uint8Array(memory.buffer, 64, 4096),
    new Uint8Array(memory.buffer, 0, 4095),
  ]) {
    assert.throws(() => native().mapShared(bytes, fd), {
      name: "RangeError",
      message: /whole pages/,
    });
  }
  closeSync(fd);
});

test("a futex wait returns at once when the value differs, and after its time-out", () => {
  const words = new Int32Array(new SharedArrayBuffer(64));
  const address = native().addressOf(words);
  native().futexWait(address, 1, LIMIT_MS);
  words[0] = -1;
  native().futexWait(address, -1, 1.5);
});

test("a futex wake in one thread ends waits on another mapping of the same page", async () => {
  const fd = makeFile(PAGE);
  const words = new Int32Array(mapped(fd).buffer);
  const worker = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads");
     import(workerData.module).then(({ loadNative }) => {
       const native = loadNative();
       const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
       native.mapShared(new Uint8Array(memory.buffer), workerData.fd);
       const words = new Int32Array(memory.buffer);
       const address = native.addressOf(words);
       Atomics.store(words, 1, 1);
       const end = Date.now() + ${LIMIT_MS};
       while (Atomics.load(words, 0) === 0 && Date.now() < end) {
         native.futexWait(address, 0, ${LIMIT_MS});
       }
       parentPort.postMessage(Date.now() < end);
     });`,
    { eval: true, workerData: { module: MODULE, fd } },
  );
  const message = once(worker, "message");
  // The worker stores word 1 just before its first wait. Whether it sleeps by the time of the
  // store below or not, it must end: the kernel compares word 0 before it lets it sleep.
  while (Atomics.load(words, 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  Atomics.store(words, 0, 1);
  native().futexWake(native().addressOf(words));
  assert.deepEqual(await message, [true]);
  await once(worker, "exit");
  closeSync(fd);
});

test("dieWithParent sets the signal that the kernel sends", () => {
  const script = `
    const { loadNative } = await import(${JSON.stringify(MODULE)});
    loadNative().dieWithParent();
    const koffi = (await import(${JSON.stringify(import.meta.resolve("koffi"))})).default;
    const prctl = koffi.load("libc.so.6").func("int prctl(int, _Out_ int *, ulong, ulong, ulong)");
    const signal = [0];
    prctl(2, signal, 0, 0, 0);
    console.log(signal[0]);`;
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    timeout: LIMIT_MS,
  });
  assert.equal(run.stderr, "");
  assert.equal(run.stdout.trim(), "9");
});

test("MLSL_NO_KOFFI=1 shuts the door", () => {
  const before = process.env.MLSL_NO_KOFFI;
  process.env.MLSL_NO_KOFFI = "1";
  try {
    assert.equal(loadNative(), undefined);
  } finally {
    if (before === undefined) delete process.env.MLSL_NO_KOFFI;
    else process.env.MLSL_NO_KOFFI = before;
  }
});

/** Opens the door in a thread of its own, uses it, and tells the address that it got. */
const DOOR_USER = `
  const { parentPort, workerData } = require("node:worker_threads");
  import(${JSON.stringify(MODULE)}).then(({ loadNative }) => {
    const native = loadNative();
    native.schedYield();
    const words = new Int32Array(workerData);
    native.futexWait(native.addressOf(words), 1, 1);
    parentPort.postMessage(String(native.addressOf(words)));
  });
`;

test("X-8 the door opens in several threads at once, and again after they have ended", async () => {
  const shared = new SharedArrayBuffer(4);
  const expected = String(native().addressOf(new Int32Array(shared)));
  for (const threads of [3, 1]) {
    const workers = Array.from(
      { length: threads },
      () => new Worker(DOOR_USER, { eval: true, workerData: shared }),
    );
    const answers = workers.map(async (worker) => {
      const [[answer], [code]] = await Promise.all([once(worker, "message"), once(worker, "exit")]);
      return [answer, code];
    });
    for (const answer of await Promise.all(answers)) assert.deepEqual(answer, [expected, 0]);
  }
});
