// The kernels once more in plain TypeScript: the readable reference for the compiled ones, with the
// same argument blocks (layouts in assembly/). Sums are made in double precision. Not for speed.
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
    sumSegments: (at) => plainSumSegments(heap(), at),
    ...plainWindowKernels(heap),
    ...plainGradientKernels(heap),
    ...plainNormKernels(heap),
    ...plainUpdateKernels(heap),
  };
}

function plainGemm({ ints, floats }: PlainHeap, at: number): void {
  const [a, aRow, aCol, b, bRow, bCol, c, cRow, m, n, k, bias, accumulate] = words(ints, at);
  const low = floats[at / 4 + 13]!;
  const high = floats[at / 4 + 14]!;
  for (let i = 0; i < m!; i++) {
    for (let j = 0; j < n!; j++) {
      const to = c! / 4 + i * cRow! + j;
      let sum = accumulate ? floats[to]! : bias ? floats[bias / 4 + j]! : 0;
      for (let l = 0; l < k!; l++) {
        const left = floats[a! / 4 + i * aRow! + l * aCol!]!;
        sum += left * floats[b! / 4 + l * bRow! + j * bCol!]!;
      }
      floats[to] = Math.min(Math.max(sum, low), high);
    }
  }
}

function plainSumMiddle({ ints, floats }: PlainHeap, at: number): void {
  const [x, y, outer, middle, inner] = words(ints, at);
  const scale = floats[at / 4 + 5]!;
  for (let o = 0; o < outer!; o++) {
    for (let i = 0; i < inner!; i++) {
      let sum = 0;
      for (let m = 0; m < middle!; m++) sum += floats[x! / 4 + (o * middle! + m) * inner! + i]!;
      floats[y! / 4 + o * inner! + i] = scale * sum;
    }
  }
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
