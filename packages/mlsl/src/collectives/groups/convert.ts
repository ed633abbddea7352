/** Conversions between float32 and the 16-bit floats. */

import type { Kernels } from "../../kernels/kernels.js";
import {
  type DataTypeInfo,
  dataTypeOf,
  type ElementArray,
  viewOf,
} from "../../memory/dataTypes.js";
import { BFloat16View, Float16View } from "../../memory/halfViews.js";
import type { Segment } from "../../memory/segment.js";
import { checkApart, elements } from "../arguments/checks.js";

/** Where conversions take place. */
export interface ConvertContext {
  readonly segment: Segment;
  readonly kernels: Kernels;
}

function isHalf({ family, byteLength }: DataTypeInfo): boolean {
  return family === "float" && byteLength === 2;
}

/** The bits of a 16-bit float array as a view, also of a native Float16Array. */
function halfView(array: ElementArray, type: DataTypeInfo): Float16View | BFloat16View {
  if (array instanceof Float16View || array instanceof BFloat16View) return array;
  return viewOf(type.name as "float16", array.buffer, array.byteOffset, array.length);
}

/**
 * Converts elements from float32 to a 16-bit type or back, rounding to nearest, ties to even.
 *
 * @throws {TypeError} If the types are others.
 * @throws {RangeError} If counts differ or the arrays overlap.
 */
export function convert(
  { segment, kernels }: ConvertContext,
  source: ElementArray,
  target: ElementArray,
): void {
  const [from, to] = [dataTypeOf(source), dataTypeOf(target)];
  const widens = isHalf(from) && to.name === "float32";
  if (!widens && !(from.name === "float32" && isHalf(to))) {
    throw new TypeError(
      "Cannot convert: one of float16 and bfloat16 and one float32 are expected, " +
        `got ${elements(source)} and ${elements(target)}`,
    );
  }
  if (source.length !== target.length) {
    throw new RangeError(
      `Cannot convert: equal counts are expected, got ${elements(source)} and ${elements(target)}`,
    );
  }
  checkApart("convert", source, target);
  if (segment.holds(source) && segment.holds(target)) {
    const kernel = widens ? kernels.toFloat32 : kernels.fromFloat32;
    const code = (widens ? from : to).code;
    kernel.call(kernels, target.byteOffset, source.byteOffset, source.length, code);
  } else if (widens) {
    // Types were checked above.
    (target as Float32Array).set(halfView(source, from).toFloat32());
  } else {
    halfView(target, to).set(source as Float32Array);
  }
}
