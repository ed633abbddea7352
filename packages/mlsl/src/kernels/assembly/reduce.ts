// Reductions: every element of the targets becomes the combination of the same element of all
// sources, in the order of ../reductionTree.ts, whoever computes it. Plans and trees are described
// in ../exchangeLayout.ts, types and operators in ../reductions.ts. This file chooses the loop.

import { average, saturatingSum } from "./exactIntegers";
import { BFloat16, Float16 } from "./halves";
import { reduceTyped } from "./loops";
import * as op from "./operators";

// Codes of the types, as in ../../memory/dataTypes.ts.
const UINT8: u32 = 1;
const INT32: u32 = 2;
const FLOAT32: u32 = 3;
const FLOAT64: u32 = 4;
const INT8: u32 = 5;
const INT16: u32 = 6;
const UINT16: u32 = 7;
const UINT32: u32 = 8;
const INT64: u32 = 9;
const UINT64: u32 = 10;
const FLOAT16: u32 = 11;
const BFLOAT16: u32 = 12;

function reduceFloats<T>(plan: usize, begin: usize, end: usize): void {
  switch (load<u32>(plan) & 0xff) {
    case op.SUM:
      return reduceTyped<T, op.Sum>(plan, begin, end);
    case op.AVERAGE:
      return reduceTyped<T, op.Average>(plan, begin, end);
    case op.MIN:
      return reduceTyped<T, op.Min>(plan, begin, end);
    case op.MAX:
      return reduceTyped<T, op.Max>(plan, begin, end);
    case op.PRODUCT:
      return reduceTyped<T, op.Product>(plan, begin, end);
    case op.SCALED:
      return reduceTyped<T, op.Scaled>(plan, begin, end);
    default:
      unreachable();
  }
}

// T is the type, U the unsigned one of its width: what does not depend on the sign is shared.
function reduceIntegers<T, U>(plan: usize, begin: usize, end: usize): void {
  switch (load<u32>(plan) & 0xff) {
    case op.SUM:
      return reduceTyped<U, op.Sum>(plan, begin, end);
    case op.MIN:
      return reduceTyped<T, op.Min>(plan, begin, end);
    case op.MAX:
      return reduceTyped<T, op.Max>(plan, begin, end);
    case op.PRODUCT:
      return reduceTyped<U, op.Product>(plan, begin, end);
    case op.AND:
      return reduceTyped<u8, op.And>(plan, begin, end);
    case op.OR:
      return reduceTyped<u8, op.Or>(plan, begin, end);
    case op.XOR:
      return reduceTyped<u8, op.Xor>(plan, begin, end);
    case op.AVERAGE_FLOOR:
      return average<T, op.AverageFloor>(plan, begin, end);
    case op.AVERAGE_TRUNCATE:
      return average<T, op.AverageTruncate>(plan, begin, end);
    case op.AVERAGE_NEAREST:
      return average<T, op.AverageNearest>(plan, begin, end);
    case op.SATURATING_SUM:
      return saturatingSum<T>(plan, begin, end);
    default:
      unreachable();
  }
}

// Reduces the bytes [begin, end) of the buffers named in the plan.
export function reduce(plan: usize, begin: usize, end: usize): void {
  switch (load<u32>(plan) >> 8) {
    case FLOAT32:
      return reduceFloats<f32>(plan, begin, end);
    case FLOAT64:
      return reduceFloats<f64>(plan, begin, end);
    case FLOAT16:
      return reduceFloats<Float16>(plan, begin, end);
    case BFLOAT16:
      return reduceFloats<BFloat16>(plan, begin, end);
    case INT8:
      return reduceIntegers<i8, u8>(plan, begin, end);
    case UINT8:
      return reduceIntegers<u8, u8>(plan, begin, end);
    case INT16:
      return reduceIntegers<i16, u16>(plan, begin, end);
    case UINT16:
      return reduceIntegers<u16, u16>(plan, begin, end);
    case INT32:
      return reduceIntegers<i32, u32>(plan, begin, end);
    case UINT32:
      return reduceIntegers<u32, u32>(plan, begin, end);
    case INT64:
      return reduceIntegers<i64, u64>(plan, begin, end);
    case UINT64:
      return reduceIntegers<u64, u64>(plan, begin, end);
    default:
      unreachable();
  }
}
