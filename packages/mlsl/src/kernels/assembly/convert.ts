// Arrays of 16-bit floats to float32 and back.

import { BFloat16, Float16 } from "./halves";
import { loadElement, loadVector, pack, storeElement, storeVector, V0, V1 } from "./lanes";

// Codes of the types, as in ../../memory/dataTypes.ts.
const FLOAT16: u32 = 11;
const BFLOAT16: u32 = 12;

// Bytes of the halves and of the float32 that one step converts.
const HALVES: usize = 16;
const FLOATS: usize = 32;

// @ts-ignore: decorator
@inline
function widenAll<T>(target: usize, source: usize, count: usize): void {
  const end = source + 2 * count;
  for (; source + HALVES <= end; source += HALVES) {
    v128.store(target, loadVector<T, V0>(source));
    v128.store(target, loadVector<T, V1>(source), 16);
    target += FLOATS;
  }
  for (; source < end; source += 2) {
    v128.store_lane<f32>(target, loadElement<T>(source), 0);
    target += 4;
  }
}

// @ts-ignore: decorator
@inline
function narrowAll<T>(target: usize, source: usize, count: usize): void {
  const end = target + 2 * count;
  for (; target + HALVES <= end; target += HALVES) {
    storeVector<T, V0>(target, pack<T>(v128.load(source)));
    storeVector<T, V1>(target, pack<T>(v128.load(source, 16)));
    source += FLOATS;
  }
  for (; target < end; target += 2) {
    storeElement<T>(target, pack<T>(v128.load_splat<f32>(source)));
    source += 4;
  }
}

export function toFloat32(target: usize, source: usize, count: usize, typeCode: u32): void {
  if (typeCode == FLOAT16) widenAll<Float16>(target, source, count);
  else if (typeCode == BFLOAT16) widenAll<BFloat16>(target, source, count);
  else unreachable();
}

export function fromFloat32(target: usize, source: usize, count: usize, typeCode: u32): void {
  if (typeCode == FLOAT16) narrowAll<Float16>(target, source, count);
  else if (typeCode == BFLOAT16) narrowAll<BFloat16>(target, source, count);
  else unreachable();
}
