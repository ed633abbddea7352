import assert from "node:assert/strict";
import { test } from "node:test";
import { findNet, messageBytesOf, multiplyAddsOf, NETS } from "./nets.js";

function backwards(name: string): number[] {
  return findNet(name)
    .layers.toReversed()
    .flatMap(({ messages }) => messages);
}

const repeat = (times: number, list: readonly number[]): number[] =>
  Array.from({ length: times }, () => list).flat();

/** The published lists of messages, in bytes, in the order of back-propagation. */
const LISTS: Readonly<Record<string, readonly number[]>> = {
  vgg16: [
    ...[16384000, 4000, 67108864, 16384, 411041792, 16384],
    ...repeat(5, [9437184, 2048]),
    ...[4718592, 2048, 2359296, 1024, 2359296, 1024, 1179648, 1024, 589824, 512, 294912, 512],
    ...[147456, 256, 6912, 256],
  ],
  alexnet: [
    ...[16384000, 4000, 67108864, 16384, 150994944, 16384, 1769472, 1024, 2654208, 1536],
    ...[3538944, 1536, 1228800, 1024, 139392, 384],
  ],
  resnet50: [
    ...[8192000, 4000],
    ...repeat(2, [4194304, 9437184, 4194304]),
    ...[4194304, 9437184, 2097152, 8388608],
    ...repeat(5, [1048576, 2359296, 1048576]),
    ...[1048576, 2359296, 524288, 2097152],
    ...repeat(3, [262144, 589824, 262144]),
    ...[262144, 589824, 131072, 524288],
    ...repeat(2, [65536, 147456, 65536]),
    ...[65536, 147456, 16384, 65536, 37632, 256],
  ],
};

for (const [name, list] of Object.entries(LISTS)) {
  test(`the messages of ${name} are those of the published list`, () => {
    assert.deepEqual(backwards(name), list);
  });
}

test("the nets have as many parameters as is published", () => {
  const counts = NETS.map((net) => [net.name, messageBytesOf(net) / 4]);
  assert.deepEqual(Object.fromEntries(counts), {
    vgg16: 138357544,
    resnet50: 25503976,
    alexnet: 60965224,
    googlenet: 6998552,
  });
});

test("the nets compute as much as is published", () => {
  // He et al.: VGG-16 15.3 and ResNet-50 3.8 thousand million; Szegedy et al.: 1.5.
  for (const [name, billions] of Object.entries({ vgg16: 15.3, resnet50: 3.8, googlenet: 1.5 })) {
    const counted = multiplyAddsOf(findNet(name)) / 1e9;
    assert.ok(Math.abs(counted / billions - 1) < 0.07, `${name}: ${counted}`);
  }
});

test("AlexNet computes at the rate of VGG-16", () => {
  const [alexnet, vgg] = [findNet("alexnet"), findNet("vgg16")];
  const rate = multiplyAddsOf(vgg) / vgg.computeMs;
  assert.ok(Math.abs(multiplyAddsOf(alexnet) / alexnet.computeMs / rate - 1) < 1e-9);
});

test("a net that there is not is refused with those that there are", () => {
  assert.throws(() => findNet("lenet"), /one of "vgg16", "resnet50", "alexnet", "googlenet", got/);
});
