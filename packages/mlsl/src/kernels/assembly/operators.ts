// The operators as types: a test of idof<Op>() is decided by the compiler, so every operator gets a
// loop of its own. A test of a value would stay in the loop.

export class Sum {}
export class Average {}
export class Min {}
export class Max {}
export class Product {}
export class And {}
export class Or {}
export class Xor {}
export class Scaled {}
export class AverageFloor {}
export class AverageTruncate {}
export class AverageNearest {}
export class SaturatingSum {}

// Their codes, as in ../kernels.ts.
export const SUM: u32 = 0;
export const AVERAGE: u32 = 1;
export const MIN: u32 = 2;
export const MAX: u32 = 3;
export const PRODUCT: u32 = 4;
export const AND: u32 = 5;
export const OR: u32 = 6;
export const XOR: u32 = 7;
export const SCALED: u32 = 8;
export const AVERAGE_FLOOR: u32 = 9;
export const AVERAGE_TRUNCATE: u32 = 10;
export const AVERAGE_NEAREST: u32 = 11;
export const SATURATING_SUM: u32 = 12;
