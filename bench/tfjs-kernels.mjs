// Time of a training step, and speed of the matrix product, on the WASM backend of TensorFlow.js
// with the training kernels ("ours") and without ("stock"; conv nets do not train on it).
//   npm run build && node bench/tfjs-kernels.mjs [seconds a row, default 2]
// Every row runs in a process of its own. On a loaded machine compare the minima, not the medians.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROWS = [
  ["mlp", 128],
  ["mlp", 64],
  ["lenet", 64],
  ["lenet", 32],
  ["mobilenet", 8],
  ["matmul", 512],
];
/** Steps before the clock starts: the JIT compiles, the heap grows. */
const WARM_UP_STEPS = 5;

const [command, ...rest] = process.argv.slice(2);
if (command === "row") await printRow(rest[0], Number(rest[1]), rest[2], Number(rest[3]));
else printTable(Number(command ?? 2));

function printTable(seconds) {
  const file = fileURLToPath(import.meta.url);
  for (const [name, size] of ROWS) {
    for (const kernels of ["ours", "stock"]) {
      const args = [file, "row", name, String(size), kernels, String(seconds)];
      const text = execFileSync(process.execPath, args, { encoding: "utf8", stdio: "pipe" });
      process.stdout.write(
        `${text
          .split("\n")
          .filter((line) => line.startsWith(name))
          .join("\n")}\n`,
      );
    }
  }
}

async function printRow(name, size, kernels, seconds) {
  const tf = await import("@tensorflow/tfjs-core");
  const tfl = await import("@tensorflow/tfjs-layers");
  await startBackend(tf, kernels);
  if (name === "matmul") printMatmul(tf, size, kernels, seconds);
  else await printTraining({ tf, tfl, name, size, kernels, seconds });
}

async function startBackend(tf, kernels) {
  if (kernels === "ours") {
    const { useWasmBackend } = await import("../packages/tfjs/dist/kernels/setup.js");
    await useWasmBackend();
    return;
  }
  const { setWasmPaths } = await import("@tensorflow/tfjs-backend-wasm");
  const manifest = "@tensorflow/tfjs-backend-wasm/package.json";
  setWasmPaths(join(dirname(createRequire(import.meta.url).resolve(manifest)), "dist") + sep);
  await tf.setBackend("wasm");
}

function printMatmul(tf, size, kernels, seconds) {
  const a = tf.randomNormal([size, size]);
  const b = tf.randomNormal([size, size]);
  for (const [kind, transposeA, transposeB] of [
    ["nn", false, false],
    ["tn", true, false],
    ["nt", false, true],
  ]) {
    const times = timed(seconds / 3, () => tf.matMul(a, b, transposeA, transposeB).dispose());
    const gflops = (ms) => ((2 * size ** 3) / ms / 1e6).toFixed(1);
    const [min, median] = summary(times);
    console.log(
      `matmul ${kind} ${size}^3 ${kernels}: ${gflops(min)} GFLOP/s, median ${gflops(median)}`,
    );
  }
}

async function printTraining({ tf, tfl, name, size, kernels, seconds }) {
  const label = `${name} b${size} ${kernels}`;
  const model = nets(tfl)[name]();
  let optimizer = tf.train.momentum(0.01, 0.9);
  if (kernels === "ours") {
    const { fuseUpdates } = await import("../packages/tfjs/dist/kernels/fuseUpdates.js");
    optimizer = fuseUpdates(optimizer);
  }
  model.compile({ optimizer, loss: "categoricalCrossentropy" });
  const x = tf.randomNormal([size, ...model.inputs[0].shape.slice(1)]);
  const y = tf.cast(tf.oneHot(tf.randomUniform([size], 0, 10, "int32"), 10), "float32");
  try {
    const times = [];
    const losses = [];
    const end = performance.now() + 1000 * seconds;
    while (losses.length < WARM_UP_STEPS + 3 || performance.now() < end) {
      const start = performance.now();
      losses.push(await model.trainOnBatch(x, y));
      if (losses.length > WARM_UP_STEPS) times.push(performance.now() - start);
    }
    const [min, median] = summary(times).map((ms) => ms.toFixed(1));
    const fall = `loss ${losses[0].toFixed(3)} to ${losses.at(-1).toFixed(3)}`;
    console.log(
      `${label}: min ${min} ms, median ${median} ms a step (${times.length} steps, ${fall})`,
    );
  } catch (error) {
    console.log(`${label}: does not train (${error.message.split("\n")[0]})`);
  }
}

/** Times of calls for so many seconds, after a warm-up. */
function timed(seconds, call) {
  for (let i = 0; i < WARM_UP_STEPS; i++) call();
  const times = [];
  const end = performance.now() + 1000 * seconds;
  while (times.length < 3 || performance.now() < end) {
    const start = performance.now();
    call();
    times.push(performance.now() - start);
  }
  return times;
}

function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return [sorted[0], sorted[sorted.length >> 1]];
}

function nets({ layers, sequential }) {
  const input = (...inputShape) => layers.inputLayer({ inputShape });
  const dense = (units, activation) => layers.dense({ units, activation });
  const conv = (filters, kernelSize) => layers.conv2d({ filters, kernelSize });
  const pool = () => layers.maxPooling2d({ poolSize: 2, strides: 2 });
  const normalised = (layer) => [layer, layers.batchNormalization(), layers.reLU({ maxValue: 6 })];
  const wide = { kernelSize: 3, padding: "same", useBias: false };
  const separable = (filters, strides) => [
    ...normalised(layers.depthwiseConv2d({ ...wide, strides })),
    ...normalised(layers.conv2d({ filters, kernelSize: 1, useBias: false })),
  ];
  return {
    mlp: () =>
      sequential({
        layers: [input(784), dense(512, "relu"), dense(512, "relu"), dense(10, "softmax")],
      }),
    // Caffe's LeNet.
    lenet: () =>
      sequential({
        layers: [
          ...[input(28, 28, 1), conv(20, 5), pool(), conv(50, 5), pool(), layers.flatten()],
          ...[dense(500, "relu"), dense(10, "softmax")],
        ],
      }),
    mobilenet: () =>
      sequential({
        layers: [
          input(32, 32, 3),
          ...normalised(layers.conv2d({ ...wide, filters: 16, strides: 2 })),
          ...separable(32, 1),
          ...separable(64, 2),
          ...separable(64, 1),
          ...separable(128, 2),
          ...[layers.globalAveragePooling2d({}), dense(10, "softmax")],
        ],
      }),
  };
}
