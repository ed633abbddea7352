// The plain twins of batch normalisation (layouts of the argument blocks in assembly/norm.ts).
import type { Kernels } from "./calls.js";
import { type PlainHeap, words } from "./plainHeap.js";

/** Forward and gradients over the heap that `heap` gives. */
export function plainNormKernels(
  heap: () => PlainHeap,
): Pick<Kernels, "batchNormForward" | "batchNormGradient"> {
  return {
    batchNormForward: (at) => batchNormForward(heap(), at),
    batchNormGradient: (at) => batchNormGradient(heap(), at),
  };
}

function batchNormForward({ ints, floats }: PlainHeap, at: number): void {
  const [x, y, rows, channels, mean, variance, scale, offset] = words(ints, at);
  const epsilon = floats[at / 4 + 9]!;
  for (let i = 0; i < rows! * channels!; i++) {
    const c = i % channels!;
    const value =
      (floats[x! / 4 + i]! - floats[mean! / 4 + c]!) /
      Math.sqrt(floats[variance! / 4 + c]! + epsilon);
    const scaled = value * (scale ? floats[scale / 4 + c]! : 1);
    floats[y! / 4 + i] = scaled + (offset ? floats[offset / 4 + c]! : 0);
  }
}

function batchNormGradient({ ints, floats }: PlainHeap, at: number): void {
  const [x, dy, dx, rows, channels, ...byChannel] = words(ints, at);
  const epsilon = floats[at / 4 + 12]!;
  for (let c = 0; c < channels!; c++) {
    const place = (i: number): number => byChannel[i]! / 4 + c;
    const scale = floats[place(2)]!;
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
