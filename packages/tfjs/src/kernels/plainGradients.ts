// The plain twins of the gradients (layouts of the argument blocks in assembly/gradients.ts).
import type { Kernels } from "./calls.js";
import { type PlainHeap, words } from "./plainHeap.js";

type GradientKernel = "gateGradient" | "spreadMiddle";

/** The gradients over the heap that `heap` gives. */
export function plainGradientKernels(heap: () => PlainHeap): Pick<Kernels, GradientKernel> {
  return {
    gateGradient: (at) => gateGradient(heap(), at),
    spreadMiddle: (at) => spreadMiddle(heap(), at),
  };
}

function gateGradient({ ints, floats }: PlainHeap, at: number): void {
  const [x, dy, dx, count] = words(ints, at);
  const low = floats[at / 4 + 4]!;
  const high = floats[at / 4 + 5]!;
  for (let i = 0; i < count!; i++) {
    const value = floats[x! / 4 + i]!;
    floats[dx! / 4 + i] = value >= low && value <= high ? floats[dy! / 4 + i]! : 0;
  }
}

function spreadMiddle({ ints, floats }: PlainHeap, at: number): void {
  const [x, y, outer, middle, inner] = words(ints, at);
  const scale = floats[at / 4 + 5]!;
  for (let row = 0; row < outer! * middle!; row++) {
    const from = x! / 4 + Math.floor(row / middle!) * inner!;
    for (let i = 0; i < inner!; i++) floats[y! / 4 + row * inner! + i] = scale * floats[from + i]!;
  }
}
