// How a kernel is called: its arguments are written as 32-bit words into one block of the heap and
// the kernel gets the block's address. One signature fits the compiled kernels and their plain twins.

/** The kernels, compiled or plain. Each takes the byte address of its argument block. */
export interface Kernels {
  readonly gemm: (at: number) => void;
  readonly imageToPatches: (at: number) => void;
  readonly addPatchesToImage: (at: number) => void;
  readonly maxPoolGradient: (at: number) => void;
  readonly depthwiseImageGradient: (at: number) => void;
  readonly depthwiseFilterGradient: (at: number) => void;
  readonly sumMiddle: (at: number) => void;
  readonly sumSegments: (at: number) => void;
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
  /** @default -Infinity */
  readonly low?: number;
  /** @default Infinity */
  readonly high?: number;
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
}

/** Floats of scratch that `gemm` needs: a block of A, a panel of B and a spare tile. */
export const GEMM_SCRATCH_FLOATS: number = 128 * 256 + 8 * 256 + 4 * 8;

/** Words in the largest argument block (a window's 20), rounded up to a cache line. */
export const ARGUMENT_WORDS = 32;

/** Position of `low` and `high` among the words of a `gemm` block. */
const GEMM_LOW_WORD = 13;

/** Position of `scale` among the words of a `sumMiddle` block. */
const SUM_SCALE_WORD = 5;

/** Writes argument blocks and calls kernels. The room it is given belongs to it alone. */
export class KernelCalls {
  readonly #memory: GrowingMemory;
  readonly #kernels: Kernels;
  readonly #at: number;
  readonly #scratch: number;
  #words = new Int32Array(0);
  #floats = new Float32Array(0);

  /**
   * @param room Address of `ARGUMENT_WORDS + GEMM_SCRATCH_FLOATS` words, 16-byte aligned
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
    this.#floats[GEMM_LOW_WORD] = call.low ?? -Infinity;
    this.#floats[GEMM_LOW_WORD + 1] = call.high ?? Infinity;
    this.#words[GEMM_LOW_WORD + 2] = this.#scratch;
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
    ]);
    this.#kernels[kernel](this.#at);
  }

  /** y[outer, inner] = scale * sum over middle of x[outer, middle, inner]. */
  sumMiddle(x: number, y: number, shape: readonly [number, number, number], scale = 1): void {
    this.#write([x, y, ...shape]);
    this.#floats[SUM_SCALE_WORD] = scale;
    this.#kernels.sumMiddle(this.#at);
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
  | "depthwiseImageGradient"
  | "depthwiseFilterGradient";
