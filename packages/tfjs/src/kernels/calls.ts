// How a kernel is called: its arguments are written as 32-bit words into one block of the heap and
// the kernel gets the block's address. One signature fits the compiled kernels and their plain twins.
import type { Leaf } from "./batchTree.js";

/** The kernels, compiled or plain. Each takes the byte address of its argument block. */
export interface Kernels {
  readonly gemm: (at: number) => void;
  readonly imageToPatches: (at: number) => void;
  readonly addPatchesToImage: (at: number) => void;
  readonly maxPoolGradient: (at: number) => void;
  readonly depthwiseImageGradient: (at: number) => void;
  readonly depthwiseFilterGradient: (at: number) => void;
  readonly depthwiseForward: (at: number) => void;
  readonly sumMiddle: (at: number) => void;
  readonly sumSegments: (at: number) => void;
  readonly gateGradient: (at: number) => void;
  readonly spreadMiddle: (at: number) => void;
  readonly addFloatsTo: (at: number) => void;
  readonly batchNormForward: (at: number) => void;
  readonly batchNormGradient: (at: number) => void;
  readonly descentUpdate: (at: number) => void;
  readonly momentumUpdate: (at: number) => void;
  readonly adamUpdate: (at: number) => void;
}

/** Memory whose buffer is replaced when it grows, like `WebAssembly.Memory`. */
export interface GrowingMemory {
  readonly buffer: ArrayBuffer;
}

/** C = clamp(A·B + bias, low, high). Addresses in bytes, strides in elements. */
export interface GemmCall {
  readonly a: number;
  /** Elements from A[i][l] to A[i + 1][l] and to A[i][l + 1]: swap them to transpose. */
  readonly aStrides: readonly [row: number, column: number];
  readonly b: number;
  readonly bStrides: readonly [row: number, column: number];
  readonly c: number;
  /** Rows of A and C, columns of B and C, columns of A and rows of B. C is dense. */
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Address of n values added to each row. @default 0 none */
  readonly bias?: number;
  /** Add to what C holds; excludes `bias`. @default false */
  readonly accumulate?: boolean;
  /**
   * The order of the sum over k, at most {@link GEMM_TREE_DEPTH} deep; excludes `bias`, `accumulate`
   * and `runs`.
   * @default in order
   */
  readonly leaves?: readonly Leaf[];
  /** k lies in runs with gaps between them. @default it does not */
  readonly runs?: DepthRuns;
  /** @default -Infinity */
  readonly low?: number;
  /** @default Infinity */
  readonly high?: number;
}

/** Runs of the depth of a product, with the same gaps in memory between all of them. */
export interface DepthRuns {
  readonly length: number;
  /** How much of the first run lies before the addresses given. */
  readonly passed: number;
  /** Elements between two runs. */
  readonly aSkip: number;
  readonly bSkip: number;
}

/** Where a window slides over an image; the fields that TensorFlow.js computes for a convolution. */
export interface WindowGeometry {
  readonly batchSize: number;
  readonly inHeight: number;
  readonly inWidth: number;
  readonly inChannels: number;
  readonly outHeight: number;
  readonly outWidth: number;
  readonly outChannels: number;
  readonly filterHeight: number;
  readonly filterWidth: number;
  readonly strideHeight: number;
  readonly strideWidth: number;
  readonly dilationHeight: number;
  readonly dilationWidth: number;
  readonly padInfo: { readonly top: number; readonly left: number };
}

/** Addresses, in bytes, that a window kernel works on. */
export interface WindowCall {
  /** The image or its gradient: [batch, inHeight, inWidth, channels]. */
  readonly image: number;
  /** Patches, or the gradient of the output. */
  readonly places: number;
  /** A filter, its gradient, or the pool's input. @default 0 none */
  readonly extra?: number;
  /** First row of the patch matrix. @default 0 */
  readonly firstRow?: number;
  /** Rows of the patch matrix. @default 0, for kernels that do all places at once */
  readonly rows?: number;
  /** Images from one sample to the next, for kernels that take a part of a batch. @default 1 */
  readonly sampleStep?: number;
}

/** Addresses and constants of a batch normalisation, channels last. */
export interface NormalizeCall {
  readonly x: number;
  readonly y: number;
  readonly rows: number;
  readonly channels: number;
  /** By channel. `scale` and `offset` may be 0: none. */
  readonly mean: number;
  readonly variance: number;
  readonly scale: number;
  readonly offset: number;
  /** Address of room for two floats a channel. */
  readonly scratch: number;
  readonly epsilon: number;
}

/** Addresses and constants of all gradients of a batch normalisation, channels last. */
export interface BatchNormCall {
  readonly x: number;
  readonly dy: number;
  readonly dx: number;
  readonly rows: number;
  readonly channels: number;
  /** By channel. */
  readonly mean: number;
  readonly variance: number;
  readonly scale: number;
  /** Gradients by channel. */
  readonly dMean: number;
  readonly dVariance: number;
  readonly dScale: number;
  readonly dOffset: number;
  readonly epsilon: number;
}

/** Addresses and sizes of a sum over the middle of [outer, middle, inner]. */
export interface SumCall {
  readonly x: number;
  readonly y: number;
  readonly shape: readonly [outer: number, middle: number, inner: number];
  /** The middle is so many samples of equal size, summed as a tree. @default 1 */
  readonly samples?: number;
  /** Address of room for `inner` floats a level of the tree. @default 0, for one leaf */
  readonly scratch?: number;
  /** @default 1 */
  readonly scale?: number;
}

/** Addresses and constants of one step of an optimizer on one variable of `count` elements. */
export interface UpdateCall {
  readonly value: number;
  readonly gradient: number;
  readonly newValue: number;
  readonly count: number;
  /** Momentum: the accumulation. Adam: the first moment. */
  readonly first?: number;
  readonly newFirst?: number;
  /** Adam: the second moment. */
  readonly second?: number;
  readonly newSecond?: number;
  /** Minus the learning rate. */
  readonly step: number;
  /** Momentum, or Adam's betas. */
  readonly decays?: readonly [number, number];
  /** Adam: 1 - beta to the number of steps, for both betas. */
  readonly corrections?: readonly [number, number];
  /** Adam: added to the root. */
  readonly epsilon?: number;
  /** Momentum: Nesterov's form. @default false */
  readonly nesterov?: boolean;
}

/** The kernels that take an update's argument block. */
export type UpdateKernel = "descentUpdate" | "momentumUpdate" | "adamUpdate";

/**
 * Floats of scratch for `gemm`: a block of A, two panels of B, the start of a row, a tile, and the
 * four tiles that wait while one is made ({@link GEMM_TREE_DEPTH} is 16 leaves).
 */
export const GEMM_SCRATCH_FLOATS: number = 128 * 256 + 2 * 8 * 256 + 16 + 5 * 4 * 8;

/** Samples that `gemm` sums as a tree: the depth that it packs at once. */
export const GEMM_TREE_DEPTH = 256;

/** Where the leaves of a product are in its argument block: behind all arguments (a window's 29). */
const PLAN_WORD = 32;

/** Words in the largest argument block: that of a product with 16 leaves of 4 words. */
export const ARGUMENT_WORDS = 96;

/** Writes argument blocks and calls kernels. The room it is given belongs to it alone. */
export class KernelCalls {
  readonly #memory: GrowingMemory;
  readonly #kernels: Kernels;
  readonly #at: number;
  readonly #scratch: number;
  #words = new Int32Array(0);
  #floats = new Float32Array(0);

  /**
   * @param room Address of `ARGUMENT_WORDS + GEMM_SCRATCH_FLOATS` words, best at a cache line
   */
  constructor(memory: GrowingMemory, kernels: Kernels, room: number) {
    this.#memory = memory;
    this.#kernels = kernels;
    this.#at = room;
    this.#scratch = room + ARGUMENT_WORDS * 4;
  }

  /** A matrix product; see {@link GemmCall}. */
  gemm(call: GemmCall): void {
    const { a, aStrides, b, bStrides, c, m, n, k } = call;
    this.#write([a, ...aStrides, b, ...bStrides, c, n, m, n, k, call.bias ?? 0]);
    this.#words[12] = call.accumulate ? 1 : 0;
    this.#floats.set([call.low ?? -Infinity, call.high ?? Infinity], 13);
    const { leaves = [], runs } = call;
    this.#words.set([this.#scratch, leaves.length, runs?.length ?? 0, runs?.passed ?? 0], 15);
    this.#words.set([runs?.aSkip ?? 0, runs?.bSkip ?? 0], 19);
    let word = PLAN_WORD;
    for (const { start, step, count, merges } of leaves) {
      this.#words.set([start, step, count, merges], word);
      word += 4;
    }
    this.#kernels.gemm(this.#at);
  }

  /** A kernel that slides a window; see {@link WindowCall}. */
  window(kernel: WindowKernel, geometry: WindowGeometry, call: WindowCall): void {
    const g = geometry;
    this.#write([
      ...[call.image, call.places, call.extra ?? 0],
      ...[g.batchSize, g.inHeight, g.inWidth, g.inChannels, g.outHeight, g.outWidth],
      ...[g.filterHeight, g.filterWidth, g.strideHeight, g.strideWidth],
      ...[g.dilationHeight, g.dilationWidth, g.padInfo.top, g.padInfo.left],
      ...[call.firstRow ?? 0, call.rows ?? 0, Math.floor(g.outChannels / g.inChannels)],
      call.sampleStep ?? 1,
    ]);
    this.#kernels[kernel](this.#at);
  }

  /** y[outer, inner] = scale * sum over middle of x[outer, middle, inner]; see {@link SumCall}. */
  sumMiddle({ x, y, shape, samples = 1, scratch = 0, scale = 1 }: SumCall): void {
    this.#write([x, y, ...shape, samples, scratch]);
    this.#floats[7] = scale;
    this.#kernels.sumMiddle(this.#at);
  }

  /** to[0 … count) += from[0 … count). Addresses in bytes. */
  addFloats(to: number, from: number, count: number): void {
    this.#write([to, from, count]);
    this.#kernels.addFloatsTo(this.#at);
  }

  /** y[segments, inner] = sums of the rows of x[rows, inner] by their ids (int32). */
  sumSegments(
    addresses: { readonly x: number; readonly ids: number; readonly y: number },
    shape: { readonly rows: number; readonly inner: number; readonly segments: number },
  ): void {
    const { x, ids, y } = addresses;
    this.#write([x, ids, y, shape.rows, shape.inner, shape.segments]);
    this.#kernels.sumSegments(this.#at);
  }

  /** dx = dy where low <= x <= high, otherwise 0. */
  gateGradient(
    addresses: { readonly x: number; readonly dy: number; readonly dx: number },
    count: number,
    bounds: readonly [low: number, high: number],
  ): void {
    this.#write([addresses.x, addresses.dy, addresses.dx, count]);
    this.#floats.set(bounds, 4);
    this.#kernels.gateGradient(this.#at);
  }

  /** y[outer, middle, inner] = scale * x[outer, inner]. */
  spreadMiddle(x: number, y: number, shape: readonly [number, number, number], scale = 1): void {
    this.#write([x, y, ...shape]);
    this.#floats[5] = scale;
    this.#kernels.spreadMiddle(this.#at);
  }

  /** A batch normalisation; see {@link NormalizeCall}. */
  batchNormForward(call: NormalizeCall): void {
    const { x, y, rows, channels, mean, variance, scale, offset, scratch } = call;
    this.#write([x, y, rows, channels, mean, variance, scale, offset, scratch]);
    this.#floats[9] = call.epsilon;
    this.#kernels.batchNormForward(this.#at);
  }

  /** All gradients of a batch normalisation; see {@link BatchNormCall}. */
  batchNormGradient(call: BatchNormCall): void {
    const { x, dy, dx, rows, channels, mean, variance, scale } = call;
    const { dMean, dVariance, dScale, dOffset, epsilon } = call;
    this.#write([x, dy, dx, rows, channels, mean, variance, scale]);
    this.#words.set([dMean, dVariance, dScale, dOffset], 8);
    this.#floats[12] = epsilon;
    this.#kernels.batchNormGradient(this.#at);
  }

  /** One step of an optimizer on one variable; see {@link UpdateCall}. */
  update(kernel: UpdateKernel, call: UpdateCall): void {
    const { first = 0, newFirst = 0, second = 0, newSecond = 0 } = call;
    const [decay1, decay2] = call.decays ?? [0, 0];
    const [correction1, correction2] = call.corrections ?? [1, 1];
    this.#write([call.value, call.gradient, call.newValue, call.count]);
    this.#words.set([first, newFirst, second, newSecond], 4);
    this.#floats.set([call.step, decay1, decay2, 1 - decay1, 1 - decay2], 8);
    this.#floats.set([correction1, correction2, call.epsilon ?? 0], 13);
    this.#words[16] = call.nesterov ? 1 : 0;
    this.#kernels[kernel](this.#at);
  }

  #write(words: readonly number[]): void {
    if (this.#words.buffer !== this.#memory.buffer) {
      // The memory grew, or this is the first call: the old views have no memory behind them.
      this.#words = new Int32Array(this.#memory.buffer, this.#at, ARGUMENT_WORDS);
      this.#floats = new Float32Array(this.#memory.buffer, this.#at, ARGUMENT_WORDS);
    }
    this.#words.set(words);
  }
}

/** The kernels that take a window's argument block. */
export type WindowKernel =
  | "imageToPatches"
  | "addPatchesToImage"
  | "maxPoolGradient"
  | "depthwiseForward"
  | "depthwiseImageGradient"
  | "depthwiseFilterGradient";
