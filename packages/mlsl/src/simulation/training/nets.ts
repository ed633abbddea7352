/**
 * The nets of the published experiment, by their published shapes. Batch normalization is left out:
 * its few values are part of no published list of messages.
 *
 * Sources: K. Simonyan, A. Zisserman, Very deep convolutional networks for large-scale image
 * recognition, 2014 (VGG-16 is column D); A. Krizhevsky, I. Sutskever, G. Hinton, ImageNet
 * classification with deep convolutional neural networks, 2012; K. He, X. Zhang, S. Ren, J. Sun, Deep
 * residual learning for image recognition, 2015 (stages shrink in their first 1×1 convolution); C.
 * Szegedy et al., Going deeper with convolutions, 2014 (without the auxiliary classifiers).
 */

import { convolution, dense, type NetLayer } from "./layers.js";

/** A net in training. */
export interface Net {
  readonly name: string;
  /** First layer first. */
  readonly layers: readonly NetLayer[];
  /** Milliseconds that a node computes in one iteration of COMPUTE_BATCH samples. */
  readonly computeMs: number;
  /** Where that time is from. */
  readonly computeSource: "published" | "by multiply-adds";
}

/** Samples to a node for which the times hold. */
export const COMPUTE_BATCH = 64;

function vgg16(): NetLayer[] {
  const stages = [
    { width: 224, to: 64, count: 2 },
    { width: 112, to: 128, count: 2 },
    { width: 56, to: 256, count: 3 },
    { width: 28, to: 512, count: 3 },
    { width: 14, to: 512, count: 3 },
  ];
  const layers: NetLayer[] = [];
  let from = 3;
  stages.forEach(({ width, to, count }, stage) => {
    for (let i = 1; i <= count; i++) {
      layers.push(convolution(`conv${stage + 1}_${i}`, { from, to, kernel: 3, width }));
      from = to;
    }
  });
  return [
    ...layers,
    dense("fc6", 512 * 7 * 7, 4096),
    dense("fc7", 4096, 4096),
    dense("fc8", 4096, 1000),
  ];
}

function alexnet(): NetLayer[] {
  return [
    convolution("conv1", { from: 3, to: 96, kernel: 11, width: 55 }),
    convolution("conv2", { from: 96, to: 256, kernel: 5, width: 27, parts: 2 }),
    convolution("conv3", { from: 256, to: 384, kernel: 3, width: 13 }),
    convolution("conv4", { from: 384, to: 384, kernel: 3, width: 13, parts: 2 }),
    convolution("conv5", { from: 384, to: 256, kernel: 3, width: 13, parts: 2 }),
    dense("fc6", 256 * 6 * 6, 4096),
    dense("fc7", 4096, 4096),
    dense("fc8", 4096, 1000),
  ];
}

/** A block: 1×1 to fewer channels, 3×3, 1×1 to four times as many; the first of a stage has a way round. */
function bottleneck(name: string, from: number, inner: number, width: number): NetLayer[] {
  const to = 4 * inner;
  const part = (suffix: string, [a, b, kernel]: readonly [number, number, number]): NetLayer =>
    convolution(`${name}_${suffix}`, { from: a, to: b, kernel, width, bias: false });
  const main = [
    part("2a", [from, inner, 1]),
    part("2b", [inner, inner, 3]),
    part("2c", [inner, to, 1]),
  ];
  return from === to ? main : [part("1", [from, to, 1]), ...main];
}

function resnet50(): NetLayer[] {
  const stages = [
    { inner: 64, width: 56, blocks: 3 },
    { inner: 128, width: 28, blocks: 4 },
    { inner: 256, width: 14, blocks: 6 },
    { inner: 512, width: 7, blocks: 3 },
  ];
  const layers = [convolution("conv1", { from: 3, to: 64, kernel: 7, width: 112 })];
  let from = 64;
  stages.forEach(({ inner, width, blocks }, stage) => {
    for (let block = 0; block < blocks; block++) {
      const name = `res${stage + 2}${"abcdef"[block]}`;
      layers.push(...bottleneck(name, from, inner, width));
      from = 4 * inner;
    }
  });
  return [...layers, dense("fc1000", 2048, 1000)];
}

/** Channels of an inception module: 1×1; 3×3 and what narrows it; 5×5 and that; after pooling. */
type Channels = readonly [
  one: number,
  narrow3: number,
  three: number,
  narrow5: number,
  five: number,
  pooled: number,
];

const INCEPTIONS: readonly (readonly [name: string, width: number, channels: Channels])[] = [
  ["3a", 28, [64, 96, 128, 16, 32, 32]],
  ["3b", 28, [128, 128, 192, 32, 96, 64]],
  ["4a", 14, [192, 96, 208, 16, 48, 64]],
  ["4b", 14, [160, 112, 224, 24, 64, 64]],
  ["4c", 14, [128, 128, 256, 24, 64, 64]],
  ["4d", 14, [112, 144, 288, 32, 64, 64]],
  ["4e", 14, [256, 160, 320, 32, 128, 128]],
  ["5a", 7, [256, 160, 320, 32, 128, 128]],
  ["5b", 7, [384, 192, 384, 48, 128, 128]],
];

function googlenet(): NetLayer[] {
  const layers = [
    convolution("conv1", { from: 3, to: 64, kernel: 7, width: 112 }),
    convolution("conv2_reduce", { from: 64, to: 64, kernel: 1, width: 56 }),
    convolution("conv2", { from: 64, to: 192, kernel: 3, width: 56 }),
  ];
  let from = 192;
  for (const [name, width, [one, narrow3, three, narrow5, five, pooled]] of INCEPTIONS) {
    layers.push(
      convolution(`${name}_1x1`, { from, to: one, kernel: 1, width }),
      convolution(`${name}_3x3_reduce`, { from, to: narrow3, kernel: 1, width }),
      convolution(`${name}_3x3`, { from: narrow3, to: three, kernel: 3, width }),
      convolution(`${name}_5x5_reduce`, { from, to: narrow5, kernel: 1, width }),
      convolution(`${name}_5x5`, { from: narrow5, to: five, kernel: 5, width }),
      convolution(`${name}_pool_proj`, { from, to: pooled, kernel: 1, width }),
    );
    from = one + three + five + pooled;
  }
  return [...layers, dense("classifier", from, 1000)];
}

/** Multiply-adds of one sample, forward. */
export function multiplyAddsOf({ layers }: Pick<Net, "layers">): number {
  return layers.reduce((sum, { multiplyAdds }) => sum + multiplyAdds, 0);
}

/** Bytes of all messages of an iteration. */
export function messageBytesOf({ layers }: Pick<Net, "layers">): number {
  return layers.reduce((sum, { messages }) => sum + messages.reduce((a, b) => a + b, 0), 0);
}

/**
 * Times of the published experiment; that of GoogLeNet was given for its third version, which
 * computes more than the first, whose shapes these are.
 */
function published(name: string, layers: readonly NetLayer[], computeMs: number): Net {
  return { name, layers, computeMs, computeSource: "published" };
}

function allNets(): Net[] {
  const vgg = published("vgg16", vgg16(), 1900);
  const layers = alexnet();
  const computeMs = (vgg.computeMs * multiplyAddsOf({ layers })) / multiplyAddsOf(vgg);
  return [
    vgg,
    published("resnet50", resnet50(), 970),
    { name: "alexnet", layers, computeMs, computeSource: "by multiply-adds" },
    published("googlenet", googlenet(), 950),
  ];
}

/** All nets. AlexNet's time is not published; it computes as many multiply-adds a second as VGG-16. */
export const NETS: readonly Net[] = allNets();

/**
 * A net by its name.
 *
 * @throws {RangeError} if there is none of that name
 */
export function findNet(name: string): Net {
  const found = NETS.find((net) => net.name === name);
  if (found !== undefined) return found;
  const names = NETS.map((net) => `"${net.name}"`).join(", ");
  throw new RangeError(`Cannot find net: expected one of ${names}, got "${name}"`);
}
