/** Digits as a net takes them. */

import { type Tensor, tensor } from "@tensorflow/tfjs-core";
import { CLASSES, type Digits } from "./digits.js";

/** Images and labels as tensors, which belong to the caller. */
export interface DigitTensors {
  /** [count, …inputShape]: 0 is paper, 1 is ink. */
  readonly images: Tensor;
  /** [count, 10]: 1 for the digit that it is, else 0. */
  readonly labels: Tensor;
}

/** @param inputShape shape of one image, of 784 pixels */
export function toTensors(digits: Digits, inputShape: readonly number[]): DigitTensors {
  // A plain loop: Float32Array.from with a function takes many times as long.
  const images = new Float32Array(digits.pixels.length);
  for (let i = 0; i < images.length; i++) images[i] = (digits.pixels[i] as number) / 255;
  const labels = new Float32Array(digits.count * CLASSES);
  for (const [index, label] of digits.labels.entries()) labels[index * CLASSES + label] = 1;
  return {
    images: tensor(images, [digits.count, ...inputShape]),
    labels: tensor(labels, [digits.count, CLASSES]),
  };
}
