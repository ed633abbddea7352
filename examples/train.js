// The smallest training: which of two rings is a point in?
//   node examples/train.js
//   npx mlsl run -n 2 examples/train.js
import { broadcastWeights, DistributedOptimizer, shard, useWasmBackend } from "@mlsl/tfjs";
import * as tf from "@tensorflow/tfjs-core";
import { layers, sequential } from "@tensorflow/tfjs-layers";
import { init } from "mlsl";

const { world } = await init();
await useWasmBackend();

const model = sequential();
model.add(layers.dense({ units: 32, activation: "relu", inputShape: [2] }));
model.add(layers.dense({ units: 1, activation: "sigmoid" }));
await broadcastWeights(model, world); //                                        1: the same start
const optimizer = new DistributedOptimizer(tf.train.adam(0.02), world); //      2: the same steps
model.compile({ optimizer, loss: "binaryCrossentropy", metrics: ["accuracy"] });

const outer = Array.from({ length: 2048 }, (_, i) => i % 2);
const angles = outer.map((_, i) => i * 2.4);
const points = tf.tensor(
  outer.map((o, i) => [(1 + o) * Math.cos(angles[i]), (1 + o) * Math.sin(angles[i])]),
);
const labels = tf.tensor(outer, [outer.length, 1]);

const batchSize = 64 / world.ranks; // of each rank: 64 together, on any number of ranks
await model.fit(shard(points, world), shard(labels, world), {
  //            ^                     ^                                         3: its own samples
  batchSize,
  epochs: 10,
  verbose: 0,
  callbacks: {
    onEpochEnd: async (epoch, { loss, acc }) => {
      if (world.rank > 0) return;
      console.log(`epoch ${epoch + 1}: loss ${loss.toFixed(4)}, accuracy ${acc.toFixed(3)}`);
    },
  },
});
