// The words of a plan and of a tree, as ../exchangeLayout.ts describes them.

const TURN_BYTES: usize = 8;
const TABLE_OFFSET: usize = 40;

// @ts-ignore: decorator
@inline
export function sourceCountOf(plan: usize): usize {
  return load<u32>(plan, 4);
}

// @ts-ignore: decorator
@inline
export function targetCountOf(plan: usize): usize {
  return load<u32>(plan, 8);
}

// What sums are divided by.
// @ts-ignore: decorator
@inline
export function ranksOf(plan: usize): u32 {
  return load<u32>(plan, 12);
}

// What contributions are multiplied with.
// @ts-ignore: decorator
@inline
export function preOf(plan: usize): f64 {
  return load<f64>(plan, 24);
}

// What results are multiplied with.
// @ts-ignore: decorator
@inline
export function postOf(plan: usize): f64 {
  return load<f64>(plan, 32);
}

// The addresses of the sources, then those of the targets.
// @ts-ignore: decorator
@inline
export function tableOf(plan: usize): usize {
  return plan + TABLE_OFFSET;
}

// @ts-ignore: decorator
@inline
export function address(table: usize, index: usize): usize {
  return load<u32>(table + 4 * index);
}

// The order in which sources are combined.
// @ts-ignore: decorator
@inline
export function treeOf(plan: usize): usize {
  return load<u32>(plan, 16);
}

// The number of the source whose turn it is.
// @ts-ignore: decorator
@inline
export function turnSource(tree: usize, turn: usize): usize {
  return load<u32>(tree + TURN_BYTES * turn);
}

// How many values it is combined with.
// @ts-ignore: decorator
@inline
export function turnMerges(tree: usize, turn: usize): u32 {
  return load<u32>(tree + TURN_BYTES * turn, 4);
}

// Room for the values that wait: at the next cache line after the turns.
// @ts-ignore: decorator
@inline
export function waitingRoom(tree: usize, sourceCount: usize): usize {
  return (tree + TURN_BYTES * sourceCount + 63) & ~63;
}
