// The plain twins of the optimizers' steps, rounded to float32 after each operation as TensorFlow.js
// (and so the compiled kernels) do.
import type { Kernels, UpdateKernel } from "./calls.js";
import { type PlainHeap, words } from "./plainHeap.js";

const round = Math.fround;

/** An argument block (layout in assembly/update.ts), with element indexes instead of addresses. */
interface PlainUpdate {
  readonly floats: Float32Array;
  readonly value: number;
  readonly gradient: number;
  readonly newValue: number;
  readonly count: number;
  readonly first: number;
  readonly newFirst: number;
  readonly second: number;
  readonly newSecond: number;
  /** step, decay 1 and 2, rest 1 and 2, correction 1 and 2, epsilon. */
  readonly constants: Float32Array;
  readonly nesterov: boolean;
}

/** The steps over the heap that `heap` gives. */
export function plainUpdateKernels(heap: () => PlainHeap): Pick<Kernels, UpdateKernel> {
  const bind =
    (step: (u: PlainUpdate, i: number) => void) =>
    (at: number): void => {
      const u = readUpdate(heap(), at);
      for (let i = 0; i < u.count; i++) step(u, i);
    };
  return {
    descentUpdate: bind(descent),
    momentumUpdate: bind(momentum),
    adamUpdate: bind(adam),
  };
}

function readUpdate({ ints, floats }: PlainHeap, at: number): PlainUpdate {
  const block = words(ints, at);
  const [value, gradient, newValue, count, first, newFirst, second, newSecond] = block;
  return {
    floats,
    value: value! / 4,
    gradient: gradient! / 4,
    newValue: newValue! / 4,
    count: count!,
    first: first! / 4,
    newFirst: newFirst! / 4,
    second: second! / 4,
    newSecond: newSecond! / 4,
    constants: floats.slice(at / 4 + 8, at / 4 + 16),
    nesterov: block[16] !== 0,
  };
}

function move({ floats, value, newValue }: PlainUpdate, i: number, change: number): void {
  floats[newValue + i] = round(round(change) + floats[value + i]!);
}

function descent(u: PlainUpdate, i: number): void {
  move(u, i, u.constants[0]! * u.floats[u.gradient + i]!);
}

function momentum(u: PlainUpdate, i: number): void {
  const [step, decay] = u.constants;
  const gradient = u.floats[u.gradient + i]!;
  const first = round(round(decay! * u.floats[u.first + i]!) + gradient);
  u.floats[u.newFirst + i] = first;
  move(u, i, step! * (u.nesterov ? round(gradient + round(first * decay!)) : first));
}

function adam(u: PlainUpdate, i: number): void {
  const [step, decay1, decay2, rest1, rest2, correction1, correction2, epsilon] = u.constants;
  const gradient = u.floats[u.gradient + i]!;
  const first = round(round(u.floats[u.first + i]! * decay1!) + round(gradient * rest1!));
  const square = round(gradient * gradient);
  const second = round(round(u.floats[u.second + i]! * decay2!) + round(square * rest2!));
  const root = round(round(Math.sqrt(round(second / correction2!))) + epsilon!);
  u.floats[u.newFirst + i] = first;
  u.floats[u.newSecond + i] = second;
  move(u, i, round(round(first / correction1!) / root) * step!);
}
