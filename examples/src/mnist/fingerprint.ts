/** Whether ranks have the same weights, to the last bit. */

import { createHash } from "node:crypto";
import type { Sequential } from "@tensorflow/tfjs-layers";
import type { Group } from "mlsl";

/** SHA-256 in words, as ranks exchange it. */
const HASH_WORDS = 8;

/** SHA-256 of all weights, in hexadecimal. */
export function weightsHash(model: Sequential): string {
  const hash = createHash("sha256");
  for (const weight of model.getWeights()) hash.update(weight.dataSync());
  return hash.digest("hex");
}

/** Whether all ranks call it with the same hash. A collective operation. */
export async function isSameOnAllRanks(hash: string, group: Group): Promise<boolean> {
  const own = new Int32Array(HASH_WORDS);
  Buffer.from(own.buffer).write(hash, "hex");
  const all = new Int32Array(HASH_WORDS * group.ranks);
  await group.allgather(own, all);
  return all.every((word, index) => word === own[index % HASH_WORDS]);
}
