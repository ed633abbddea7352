import assert from "node:assert/strict";
import { test } from "node:test";
import { kernelModule } from "./compiled.js";
import { wasmBase64 } from "./generated/wasm.js";

/** Section ids of the WebAssembly binary format. */
const GLOBAL_SECTION = 6;
const START_SECTION = 8;
const DATA_SECTION = 11;

/** Ids of the sections of a module, read from its bytes. */
function sectionIds(bytes: Uint8Array): number[] {
  const ids: number[] = [];
  // The sections follow the magic number and the version, 4 bytes each.
  let at = 8;
  while (at < bytes.length) {
    ids.push(bytes[at++]!);
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    at += size;
  }
  assert.equal(at, bytes.length, "sections fill the module");
  return ids;
}

test("The module brings no data into the memory, which belongs to TensorFlow.js", () => {
  const ids = sectionIds(Buffer.from(wasmBase64, "base64"));
  assert.ok(ids.length > 3);
  assert.ok(!ids.includes(DATA_SECTION), "no data segments");
  assert.ok(!ids.includes(START_SECTION), "no start function");
  assert.ok(!ids.includes(GLOBAL_SECTION), "no globals, so no stack or heap pointer either");
});

test("The module imports the memory and nothing else, and exports functions only", () => {
  const imports = WebAssembly.Module.imports(kernelModule());
  assert.deepEqual(imports, [{ module: "env", name: "memory", kind: "memory" }]);
  const kinds = WebAssembly.Module.exports(kernelModule()).map(({ kind }) => kind);
  assert.deepEqual([...new Set(kinds)], ["function"]);
});
