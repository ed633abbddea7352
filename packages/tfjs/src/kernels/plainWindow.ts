// The plain twins of the kernels that slide a window over an image.
import type { Kernels, WindowKernel } from "./calls.js";
import { type PlainHeap, words } from "./plainHeap.js";

/** An argument block (layout in assembly/window.ts), with element indexes instead of addresses. */
interface PlainWindow {
  readonly image: number;
  readonly places: number;
  readonly extra: number;
  readonly batch: number;
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  readonly outHeight: number;
  readonly outWidth: number;
  readonly filterHeight: number;
  readonly filterWidth: number;
  readonly strides: readonly [number, number];
  readonly dilations: readonly [number, number];
  readonly pads: readonly [number, number];
  readonly firstRow: number;
  readonly rows: number;
  readonly multiplier: number;
  readonly sampleStep: number;
}

/** One element that the window sees at one place. */
interface Sight {
  /** Place, counted over (image, out y, out x) of the whole batch. */
  readonly place: number;
  /** Element of the window, counted over (filter y, filter x). */
  readonly tap: number;
  /** Pixel, counted over (image, y, x), or -1 outside the image. */
  readonly pixel: number;
}

/** The window kernels over the heap that `heap` gives. */
export function plainWindowKernels(heap: () => PlainHeap): Pick<Kernels, WindowKernel> {
  const bind =
    (kernel: (floats: Float32Array, w: PlainWindow) => void) =>
    (at: number): void => {
      const { ints, floats } = heap();
      kernel(floats, readWindow(words(ints, at)));
    };
  return {
    imageToPatches: bind(imageToPatches),
    addPatchesToImage: bind(addPatchesToImage),
    maxPoolGradient: bind(maxPoolGradient),
    depthwiseForward: bind(depthwiseForward),
    depthwiseImageGradient: bind(depthwiseImageGradient),
    depthwiseFilterGradient: bind(depthwiseFilterGradient),
  };
}

function readWindow(block: Int32Array): PlainWindow {
  const word = (i: number): number => block[i]!;
  return {
    image: word(0) / 4,
    places: word(1) / 4,
    extra: word(2) / 4,
    batch: word(3),
    height: word(4),
    width: word(5),
    channels: word(6),
    outHeight: word(7),
    outWidth: word(8),
    filterHeight: word(9),
    filterWidth: word(10),
    strides: [word(11), word(12)],
    dilations: [word(13), word(14)],
    pads: [word(15), word(16)],
    firstRow: word(17),
    rows: word(18),
    multiplier: word(19),
    sampleStep: word(20),
  };
}

/** Everything that the window sees from row `begin` to `end`, in the order of places and taps. */
function* sights(w: PlainWindow, begin: number, end: number): Generator<Sight> {
  for (let row = begin; row < end; row++) {
    const ox = row % w.outWidth;
    const oy = Math.floor(row / w.outWidth) % w.outHeight;
    const sample = Math.floor(row / w.outWidth / w.outHeight);
    const n = sample * w.sampleStep;
    const place = row + (n - sample) * w.outHeight * w.outWidth;
    for (let tap = 0; tap < w.filterHeight * w.filterWidth; tap++) {
      const ky = Math.floor(tap / w.filterWidth);
      const kx = tap % w.filterWidth;
      const y = oy * w.strides[0] + ky * w.dilations[0] - w.pads[0];
      const x = ox * w.strides[1] + kx * w.dilations[1] - w.pads[1];
      const inside = y >= 0 && y < w.height && x >= 0 && x < w.width;
      yield { place, tap, pixel: inside ? (n * w.height + y) * w.width + x : -1 };
    }
  }
}

function placeCount(w: PlainWindow): number {
  return w.batch * w.outHeight * w.outWidth;
}

function imageToPatches(floats: Float32Array, w: PlainWindow): void {
  let to = w.places;
  for (const { pixel } of sights(w, w.firstRow, w.firstRow + w.rows)) {
    for (let c = 0; c < w.channels; c++) {
      floats[to++] = pixel < 0 ? 0 : floats[w.image + pixel * w.channels + c]!;
    }
  }
}

function addPatchesToImage(floats: Float32Array, w: PlainWindow): void {
  let from = w.places;
  for (const { pixel } of sights(w, w.firstRow, w.firstRow + w.rows)) {
    for (let c = 0; c < w.channels; c++, from++) {
      if (pixel >= 0) floats[w.image + pixel * w.channels + c]! += floats[from]!;
    }
  }
}

function maxPoolGradient(floats: Float32Array, w: PlainWindow): void {
  for (let row = 0; row < placeCount(w); row++) {
    for (let c = 0; c < w.channels; c++) {
      let largest = Number.NEGATIVE_INFINITY;
      let winner = -1;
      for (const { pixel } of sights(w, row, row + 1)) {
        const value = floats[w.extra + pixel * w.channels + c]!;
        if (pixel < 0 || (winner >= 0 && value <= largest)) continue;
        largest = value;
        winner = pixel;
      }
      if (winner < 0) continue;
      floats[w.image + winner * w.channels + c]! += floats[w.places + row * w.channels + c]!;
    }
  }
}

/** Calls `visit` with the indexes of each (input, output, weight) that multiply each other. */
function eachProduct(
  w: PlainWindow,
  visit: (input: number, output: number, weight: number) => void,
): void {
  const outputs = w.channels * w.multiplier;
  for (const { place, tap, pixel } of sights(w, 0, placeCount(w))) {
    if (pixel < 0) continue;
    for (let o = 0; o < outputs; o++) {
      const input = w.image + pixel * w.channels + Math.floor(o / w.multiplier);
      visit(input, w.places + place * outputs + o, w.extra + tap * outputs + o);
    }
  }
}

function depthwiseForward(floats: Float32Array, w: PlainWindow): void {
  eachProduct(w, (input, output, weight) => {
    floats[output]! += floats[input]! * floats[weight]!;
  });
}

function depthwiseImageGradient(floats: Float32Array, w: PlainWindow): void {
  eachProduct(w, (input, output, weight) => {
    floats[input]! += floats[output]! * floats[weight]!;
  });
}

function depthwiseFilterGradient(floats: Float32Array, w: PlainWindow): void {
  eachProduct(w, (input, output, weight) => {
    floats[weight]! += floats[output]! * floats[input]!;
  });
}
