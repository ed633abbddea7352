// The plain twins of the gradients (layouts of the argument blocks in assembly/gradients.ts).
import type { Kernels } from "./calls.js";
import { type PlainHeap, words } from "./plainHeap.js";

type GradientKernel = "gateGradient" | "spreadMiddle" | "batchNormGradient";

/** The gradients over the heap that `heap` gives. */
export function plainGradientKernels(heap: () => PlainHeap): Pick<Kernels, GradientKernel> {
  return {
    gateGradient: (at) => gateGradient(heap(), at),
    spreadMiddle: (at) => spreadMiddle(heap(), at),
    batchNormGradient: (at) => batchNormGradient(heap(), at),
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

function batchNormGradient({ ints, floats }: PlainHeap, at: number): void {
  const [x, dy, dx, rows, channels, ...byChannel] = words(ints, at);
  const epsilon = floats[at / 4 + 12]!;
  for (let c = 0; c < channels!; c++) {
    const place = (i: number): number => byChannel[i]! / 4 + c;
    const scale = byChannel[2] === 0 ? 1 : floats[place(2)]!;
    const r = 1 / Math.sqrt(floats[place(1)]! + epsilon);
    let sum = 0;
    let moment = 0;
    for (let row = 0; row < rows!; row++) {
      const i = row * channels! + c;
      const gradient = floats[dy! / 4 + i]!;
      sum += gradient;
      moment += gradient * (floats[x! / 4 + i]! - floats[place(0)]!);
      floats[dx! / 4 + i] = gradient * scale * r;
    }
    floats[place(3)] = -r * scale * sum;
    floats[place(4)] = (-(r ** 3) / 2) * scale * moment;
    floats[place(5)] = r * moment;
    floats[place(6)] = sum;
  }
}
