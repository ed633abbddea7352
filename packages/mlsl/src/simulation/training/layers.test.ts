import assert from "node:assert/strict";
import { test } from "node:test";
import { convolution, dense } from "./layers.js";

test("a convolution has a kernel for each pair of channels and uses it at each place", () => {
  assert.deepEqual(convolution("c", { from: 2, to: 3, kernel: 5, width: 7 }), {
    name: "c",
    messages: [4 * 2 * 3 * 25, 4 * 3],
    multiplyAdds: 2 * 3 * 25 * 49,
  });
});

test("channels in parts have kernels within their part only, and a bias need not be", () => {
  const shape = { from: 4, to: 6, kernel: 1, width: 1, parts: 2, bias: false };
  assert.deepEqual(convolution("c", shape), { name: "c", messages: [48], multiplyAdds: 12 });
});

test("a dense layer uses each weight once", () => {
  assert.deepEqual(dense("d", 3, 5), { name: "d", messages: [60, 20], multiplyAdds: 15 });
});
