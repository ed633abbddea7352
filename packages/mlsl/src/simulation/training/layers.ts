/** Layers of nets by their shapes: what they send, and how much they compute. */

/** Gradients are 32-bit floats. */
const BYTES_PER_VALUE = 4;

/** A layer that has weights. */
export interface NetLayer {
  readonly name: string;
  /**
   * Bytes of the gradients that it yields, weights first. Each is a message of its own, as the
   * libraries of the time sent them.
   */
  readonly messages: readonly number[];
  /** Multiply-adds of one sample, forward. */
  readonly multiplyAdds: number;
}

/** A convolution with square kernels and outputs. */
export interface Convolution {
  /** Channels in and out. */
  readonly from: number;
  readonly to: number;
  /** Width of the kernel. */
  readonly kernel: number;
  /** Width of the output. */
  readonly width: number;
  /** Channels are divided into so many parts that do not mix. @default 1 */
  readonly parts?: number;
  /** @default true */
  readonly bias?: boolean;
}

function layer(name: string, weights: number, biases: number, uses: number): NetLayer {
  const counts = biases > 0 ? [weights, biases] : [weights];
  const messages = counts.map((count) => count * BYTES_PER_VALUE);
  return { name, messages, multiplyAdds: weights * uses };
}

/** Every weight is used once for each place of the output. */
export function convolution(name: string, shape: Convolution): NetLayer {
  const { from, to, kernel, width, parts = 1, bias = true } = shape;
  return layer(name, (from / parts) * kernel * kernel * to, bias ? to : 0, width * width);
}

/** A layer that connects everything with everything. */
export function dense(name: string, from: number, to: number): NetLayer {
  return layer(name, from * to, to, 1);
}
