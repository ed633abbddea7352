/** How well a net reads digits that it has not learned from. */

import type { Tensor } from "@tensorflow/tfjs-core";
import type { Sequential } from "@tensorflow/tfjs-layers";
import { CLASSES, type Digits } from "./digits.js";
import { toTensors } from "./tensors.js";

/** Digits at a time: the first layer of LeNet holds 11,520 values for each. */
const BATCH_SIZE = 256;

/**
 * The share of digits whose largest output is that of the right class. Not a collective operation.
 *
 * @returns 0 … 1
 */
export function testAccuracy(
  model: Sequential,
  digits: Digits,
  inputShape: readonly number[],
): number {
  const { images, labels } = toTensors(digits, inputShape);
  const output = model.predict(images, { batchSize: BATCH_SIZE }) as Tensor;
  const scores = output.dataSync<"float32">();
  for (const tensor of [images, labels, output]) tensor.dispose();
  let right = 0;
  for (const [index, label] of digits.labels.entries()) {
    const own = scores.subarray(index * CLASSES, (index + 1) * CLASSES);
    const best = own.reduce((top, score, k) => (score > (own[top] as number) ? k : top), 0);
    if (best === label) right++;
  }
  return right / digits.count;
}
