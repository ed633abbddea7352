/** Arrays of 16-bit floats, which not every supported Node.js has: views like typed arrays. */

import { BFLOAT16, decodeHalf, encodeHalf, FLOAT16, type HalfFormat } from "./halfFormat.js";

/**
 * What {@link Float16View} and {@link BFloat16View} share: elements of 16 bits over ordinary or shared
 * memory, which the view refers to and does not copy. Elements are read by `get` and written by `set`
 * and `fill`, which round to nearest, ties to even: what is too large becomes infinity, NaN stays NaN.
 */
export abstract class HalfView implements Iterable<number> {
  /** Bytes of an element. */
  static readonly BYTES_PER_ELEMENT = 2;
  /** Bytes of an element. */
  readonly BYTES_PER_ELEMENT = 2;
  /** The elements as bit patterns; writing them changes the elements. */
  readonly bits: Uint16Array;
  readonly #format: HalfFormat;

  protected constructor(format: HalfFormat, bits: Uint16Array) {
    this.#format = format;
    this.bits = bits;
  }

  /** The memory that the elements lie in. */
  get buffer(): ArrayBufferLike {
    return this.bits.buffer;
  }

  /** Where they begin in it, in bytes. */
  get byteOffset(): number {
    return this.bits.byteOffset;
  }

  /** How many bytes they take. */
  get byteLength(): number {
    return this.bits.byteLength;
  }

  /** Number of elements. */
  get length(): number {
    return this.bits.length;
  }

  /**
   * An element.
   *
   * @throws {RangeError} If there is none of this index.
   */
  get(index: number): number {
    const pattern = this.bits[index];
    if (pattern === undefined) {
      throw new RangeError(
        `Cannot get element ${index}: expected a whole number below the length ${this.length}`,
      );
    }
    return decodeHalf(this.#format, pattern);
  }

  /**
   * Writes numbers, from `offset` on. Elements of a view of the same type keep their bits.
   *
   * @throws {RangeError} If they do not all fit; nothing is written then.
   */
  set(values: ArrayLike<number> | HalfView, offset = 0): void {
    if (!(offset >= 0 && offset + values.length <= this.length)) {
      throw new RangeError(
        `Cannot set ${values.length} elements from offset ${offset}: the view has ${this.length}`,
      );
    }
    if (values instanceof HalfView) {
      if (values.#format === this.#format) this.bits.set(values.bits, offset);
      else this.set(values.toFloat32(), offset);
      return;
    }
    for (let i = 0; i < values.length; i++) {
      this.bits[offset + i] = encodeHalf(this.#format, values[i]!);
    }
  }

  /** Sets every element to a number. */
  fill(value: number): this {
    this.bits.fill(encodeHalf(this.#format, value));
    return this;
  }

  /** A copy in single precision, which holds every element exactly. */
  toFloat32(): Float32Array {
    return Float32Array.from(this.bits, (pattern) => decodeHalf(this.#format, pattern));
  }

  /** The elements, one after the other. */
  *[Symbol.iterator](): Generator<number, void, undefined> {
    for (const pattern of this.bits) yield decodeHalf(this.#format, pattern);
  }
}

function bitsOf(
  bufferOrLength: ArrayBufferLike | number,
  byteOffset?: number,
  length?: number,
): Uint16Array {
  if (typeof bufferOrLength === "number") return new Uint16Array(bufferOrLength);
  return new Uint16Array(bufferOrLength, byteOffset, length);
}

/**
 * An array of float16 (IEEE 754 binary16): 11 significant bits, from 6e-8 to 65504.
 *
 * @example
 * ```ts
 * import { Float16View } from "mlsl";
 *
 * const halves = Float16View.from([1, 0.1, 70000]);
 * console.log(halves.get(0), halves.get(1), halves.get(2)); // 1 0.0999755859375 Infinity
 * console.log(halves.subarray(0, 2).toFloat32().length, halves.byteLength); // 2 6
 * ```
 */
export class Float16View extends HalfView {
  /** Name of the element type. */
  readonly dataType = "float16";

  /**
   * A view of a buffer, or of zeros in memory of its own when a length is given instead.
   *
   * @param byteOffset where it begins, a multiple of 2; default 0
   * @param length elements; default as many as the buffer has
   * @throws {RangeError} If the elements do not lie in the buffer.
   */
  constructor(bufferOrLength: ArrayBufferLike | number, byteOffset?: number, length?: number) {
    super(FLOAT16, bitsOf(bufferOrLength, byteOffset, length));
  }

  /** A view in memory of its own that holds these numbers, rounded. */
  static from(values: ArrayLike<number> | Iterable<number>): Float16View {
    const numbers = Array.from(values);
    const view = new Float16View(numbers.length);
    view.set(numbers);
    return view;
  }

  /** A view of the elements from `begin` to before `end`, of the same memory; negative from the end. */
  subarray(begin?: number, end?: number): Float16View {
    const part = this.bits.subarray(begin, end);
    return new Float16View(part.buffer, part.byteOffset, part.length);
  }

  /** A copy of the elements from `begin` to before `end`; negative from the end. */
  slice(begin?: number, end?: number): Float16View {
    return new Float16View(this.bits.slice(begin, end).buffer);
  }
}

/**
 * An array of bfloat16, the upper half of float32: 8 significant bits, from 9e-41 to 3.4e38.
 *
 * @example
 * ```ts
 * import { BFloat16View } from "mlsl";
 *
 * const halves = new BFloat16View(new SharedArrayBuffer(8), 4);
 * halves.set([1, 0.1]);
 * console.log([...halves]); // [ 1, 0.10009765625 ]
 * ```
 */
export class BFloat16View extends HalfView {
  /** Name of the element type. */
  readonly dataType = "bfloat16";

  /**
   * A view of a buffer, or of zeros in memory of its own when a length is given instead.
   *
   * @param byteOffset where it begins, a multiple of 2; default 0
   * @param length elements; default as many as the buffer has
   * @throws {RangeError} If the elements do not lie in the buffer.
   */
  constructor(bufferOrLength: ArrayBufferLike | number, byteOffset?: number, length?: number) {
    super(BFLOAT16, bitsOf(bufferOrLength, byteOffset, length));
  }

  /** A view in memory of its own that holds these numbers, rounded. */
  static from(values: ArrayLike<number> | Iterable<number>): BFloat16View {
    const numbers = Array.from(values);
    const view = new BFloat16View(numbers.length);
    view.set(numbers);
    return view;
  }

  /** A view of the elements from `begin` to before `end`, of the same memory; negative from the end. */
  subarray(begin?: number, end?: number): BFloat16View {
    const part = this.bits.subarray(begin, end);
    return new BFloat16View(part.buffer, part.byteOffset, part.length);
  }

  /** A copy of the elements from `begin` to before `end`; negative from the end. */
  slice(begin?: number, end?: number): BFloat16View {
    return new BFloat16View(this.bits.slice(begin, end).buffer);
  }
}
