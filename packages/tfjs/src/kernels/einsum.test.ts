import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled } from "./fixtures/backends.js";

const sizes: Record<string, number> = { a: 2, b: 3, c: 4, d: 5, e: 2, f: 3 };

test("Einsum: contractions of two operands", async () => {
  for (const equation of [
    "ab,bc->ac",
    "ab,bc->ca",
    "ab,cb->ac",
    "abc,cd->abd",
    "abc,cde->abde",
    "abcd,aecd->abce",
    "aecd,abcd->acbe",
    "ab,ab->ab",
    "abc,abc->a",
    "a,b->ab",
    "abcd,cde->abe",
  ]) {
    const [terms = ""] = equation.split("->");
    await compareBackends(equation, () => [
      tf.einsum(
        equation,
        ...terms.split(",").map((labels, i) =>
          filled(
            [...labels].map((l) => sizes[l]!),
            i,
          ),
        ),
      ),
    ]);
  }
});
