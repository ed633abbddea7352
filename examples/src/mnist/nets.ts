/** The nets of the demo, with the settings that they are trained with. */

import { initializers, layers, type Sequential, sequential } from "@tensorflow/tfjs-layers";
import { CLASSES, PIXELS, SIDE } from "./digits.js";

/** Names of the nets. */
export const NET_NAMES = ["lenet", "mlp"] as const;

/** Name of a net. */
export type NetName = (typeof NET_NAMES)[number];

/** A net and how to train it. */
export interface Net {
  /** Shape of one digit. */
  readonly inputShape: readonly number[];
  /** Digits of a step, all ranks together. */
  readonly batchSize: number;
  /** Learning rate of the first epoch; it falls in a straight line towards 0 after the last. */
  readonly learningRate: number;
  /** Epochs that bring the test accuracy over 97 % with 8,192 digits to learn from. */
  readonly epochs: number;
  /** Makes the net with weights that depend on the seed alone. */
  readonly create: (seed: number) => Sequential;
}

/** Seeds of layers are this far apart for different seeds of a net: more layers than it has. */
const SEEDS_PER_NET = 16;

/**
 * Caffe's LeNet (examples/mnist/lenet_train_test.prototxt): two convolutions without activation,
 * each followed by max pooling, then two dense layers. 431,080 weights.
 */
function createLenet(seed: number): Sequential {
  const conv = (filters: number, index: number) =>
    layers.conv2d({
      filters,
      kernelSize: 5,
      name: `conv${index}`,
      kernelInitializer: initializers.glorotUniform({ seed: seed * SEEDS_PER_NET + index }),
    });
  return sequential({
    name: "lenet",
    layers: [
      layers.inputLayer({ inputShape: [SIDE, SIDE, 1] }),
      conv(20, 1),
      layers.maxPooling2d({ poolSize: 2 }),
      conv(50, 2),
      layers.maxPooling2d({ poolSize: 2 }),
      layers.flatten(),
      dense(500, "relu", seed * SEEDS_PER_NET + 3),
      dense(CLASSES, "softmax", seed * SEEDS_PER_NET + 4),
    ],
  });
}

/** Two hidden layers of 512. 669,706 weights: much to send for little to compute. */
function createMlp(seed: number): Sequential {
  return sequential({
    name: "mlp",
    layers: [
      layers.inputLayer({ inputShape: [PIXELS] }),
      dense(512, "relu", seed * SEEDS_PER_NET + 1),
      dense(512, "relu", seed * SEEDS_PER_NET + 2),
      dense(CLASSES, "softmax", seed * SEEDS_PER_NET + 3),
    ],
  });
}

function dense(units: number, activation: "relu" | "softmax", seed: number) {
  const kernelInitializer = initializers.glorotUniform({ seed });
  return layers.dense({ units, activation, kernelInitializer });
}

/** The nets by name. */
export const NETS: Readonly<Record<NetName, Net>> = {
  lenet: {
    inputShape: [SIDE, SIDE, 1],
    batchSize: 64,
    learningRate: 0.01,
    epochs: 5,
    create: createLenet,
  },
  mlp: {
    inputShape: [PIXELS],
    batchSize: 128,
    learningRate: 0.1,
    epochs: 12,
    create: createMlp,
  },
};
