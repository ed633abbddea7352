import assert from "node:assert/strict";
import { test } from "node:test";
import { missingMessage, missingPackages } from "./packages.mjs";

test("a package is missing if its file is", () => {
  assert.deepEqual(
    missingPackages(() => true),
    [],
  );
  assert.deepEqual(
    missingPackages((file) => !file.includes("mpich") && !file.includes("gloo")),
    ["mpich", "libmpich-dev", "libgloo-dev"],
  );
  assert.deepEqual(
    missingPackages(() => false),
    ["openmpi-bin", "libopenmpi-dev", "mpich", "libmpich-dev", "libgloo-dev", "gcc", "g++"],
  );
});

test("the message says which line to run", () => {
  const message = missingMessage(["mpich", "g++"]);
  assert.match(message, /^Cannot measure the peers: mpich, g\+\+ not installed/);
  assert.match(message, /\n {2}apt-get update && apt-get install .* mpich g\+\+\n/);
  assert.match(message, /--install/);
});
