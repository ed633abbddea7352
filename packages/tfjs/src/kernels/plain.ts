// The kernels once more in plain TypeScript: the readable reference for the compiled ones, with the
// same argument blocks (layouts in assembly/). Sums are made in double precision. Not for speed.
import { type Leaf, treeLeaves } from "./batchTree.js";
import type { GrowingMemory, Kernels } from "./calls.js";
import { plainGradientKernels } from "./plainGradients.js";
import { type PlainHeap, words } from "./plainHeap.js";
import { plainNormKernels } from "./plainNorm.js";
import { plainUpdateKernels } from "./plainUpdate.js";
import { plainWindowKernels } from "./plainWindow.js";

/** The kernels over `memory`. */
export function plainKernels(memory: GrowingMemory): Kernels {
  const heap = (): PlainHeap => ({
    ints: new Int32Array(memory.buffer),
    floats: new Float32Array(memory.buffer),
  });
  return {
    gemm: (at) => plainGemm(heap(), at),
    sumMiddle: (at) => plainSumMiddle(heap(), at),
    addFloatsTo: (at) => plainAddFloats(heap(), at),
    sumSegments: (at) => plainSumSegments(heap(), at),
    ...plainWindowKernels(heap),
    ...plainGradientKernels(heap),
    ...plainNormKernels(heap),
    ...plainUpdateKernels(heap),
  };
}

/** Words before the leaves of a product, and words of a leaf. */
const PLAN_WORD = 32;
const LEAF_WORDS = 4;

/** Sum of the leaves' sums, in the order of the plan. */
function sumPlan(leaves: readonly Leaf[], sumLeaf: (leaf: Leaf) => number): number {
  const stack: number[] = [];
  for (const leaf of leaves) {
    let sum = sumLeaf(leaf);
    for (let i = 0; i < leaf.merges; i++) sum += stack.pop()!;
    stack.push(sum);
  }
  return stack[0]!;
}

function readLeaves(ints: Int32Array, at: number, count: number, k: number): Leaf[] {
  if (count === 0) return [{ start: 0, step: 1, count: k, merges: 0 }];
  return Array.from({ length: count }, (_, i) => {
    const word = at / 4 + PLAN_WORD + i * LEAF_WORDS;
    const [start, step, samples, merges] = ints.subarray(word, word + LEAF_WORDS);
    return { start: start!, step: step!, count: samples!, merges: merges! };
  });
}

function plainGemm({ ints, floats }: PlainHeap, at: number): void {
  const [a, aRow, aCol, b, bRow, bCol, c, cRow, m, n, k, bias, accumulate] = words(ints, at);
  const [leafCount, length, passed, aSkip, bSkip] = words(ints, at + 16 * 4);
  const low = floats[at / 4 + 13]!;
  const high = floats[at / 4 + 14]!;
  const leaves = readLeaves(ints, at, leafCount!, k!);
  const runOf = (l: number): number => (length ? Math.floor((passed! + l) / length) : 0);
  for (let i = 0; i < m!; i++) {
    for (let j = 0; j < n!; j++) {
      const to = c! / 4 + i * cRow! + j;
      const initial = accumulate ? floats[to]! : bias ? floats[bias / 4 + j]! : 0;
      const sum = sumPlan(leaves, ({ start, step, count }) => {
        let partial = initial;
        for (let l = start, end = start + count * step; l < end; l += step) {
          const left = floats[a! / 4 + i * aRow! + l * aCol! + runOf(l) * aSkip!]!;
          partial += left * floats[b! / 4 + l * bRow! + runOf(l) * bSkip! + j * bCol!]!;
        }
        return partial;
      });
      floats[to] = Math.min(Math.max(sum, low), high);
    }
  }
}

function plainSumMiddle({ ints, floats }: PlainHeap, at: number): void {
  const [x, y, outer, middle, inner, samples] = words(ints, at);
  const scale = floats[at / 4 + 7]!;
  const unit = middle! / samples!;
  const leaves = treeLeaves(samples!);
  for (let o = 0; o < outer!; o++) {
    for (let i = 0; i < inner!; i++) {
      const sum = sumPlan(leaves, ({ start, step, count }) => {
        let partial = 0;
        for (let row = 0; row < count * unit; row++) {
          const sample = start + Math.floor(row / unit) * step;
          const m = sample * unit + (row % unit);
          partial += floats[x! / 4 + (o * middle! + m) * inner! + i]!;
        }
        return partial;
      });
      floats[y! / 4 + o * inner! + i] = scale * sum;
    }
  }
}

function plainAddFloats({ ints, floats }: PlainHeap, at: number): void {
  const [to, from, count] = words(ints, at);
  for (let i = 0; i < count!; i++) floats[to! / 4 + i]! += floats[from! / 4 + i]!;
}

function plainSumSegments({ ints, floats }: PlainHeap, at: number): void {
  const [x, ids, y, rows, inner, segments] = words(ints, at);
  floats.fill(0, y! / 4, y! / 4 + segments! * inner!);
  for (let row = 0; row < rows!; row++) {
    const id = ints[ids! / 4 + row]!;
    if (id < 0 || id >= segments!) continue;
    for (let i = 0; i < inner!; i++) {
      floats[y! / 4 + id * inner! + i]! += floats[x! / 4 + row * inner! + i]!;
    }
  }
}
