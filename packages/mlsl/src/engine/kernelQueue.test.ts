import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineWire } from "../testing/engineWire.js";
import { KernelQueue } from "./kernelQueue.js";
import { OLDEST_EVERY } from "./order.js";

/** Two requests, the older one less urgent; neither is started, so that the test decides what runs. */
function requests() {
  const wire = new EngineWire(2);
  const [older, urgent] = [7, 1].map((priority, order) => {
    const request = wire.post(0, { count: 100, priority });
    request.order = order;
    request.urgency = priority;
    return request;
  });
  return { older: older!, urgent: urgent! };
}

test("the most urgent comes first, and one in so many is the oldest's", () => {
  const { older, urgent } = requests();
  const queue = new KernelQueue(false);
  for (let op = 0; op < 2 * OLDEST_EVERY; op++) {
    queue.push(older, op);
    queue.push(urgent, op);
  }
  const taken = Array.from({ length: 2 * OLDEST_EVERY }, () => queue.next(0)!.request);
  const places = taken.flatMap((request, i) => (request === older ? [i + 1] : []));
  assert.deepEqual(places, [OLDEST_EVERY, 2 * OLDEST_EVERY]);
  assert.equal(queue.oldest, older);
  queue.remove(older);
  queue.remove(urgent);
  assert.equal(queue.isEmpty, true);
  assert.equal(queue.next(0), undefined);
});

test("kernels are objects of their own, or one for a driver that runs one at a time", () => {
  const { urgent } = requests();
  const kernelsOf = (reusesObjects: boolean) => {
    const queue = new KernelQueue(reusesObjects);
    queue.push(urgent, 3);
    queue.push(urgent, 4);
    return [queue.next(0), queue.next(0)] as const;
  };
  const [first, second] = kernelsOf(false);
  assert.deepEqual([first!.op, second!.op], [3, 4]);
  const [same, again] = kernelsOf(true);
  assert.equal(same, again);
  assert.equal(again!.op, 4);
});
