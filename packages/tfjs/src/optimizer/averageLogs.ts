/** Logs of an epoch, averaged over the samples of all ranks. */

import type { Scalar } from "@tensorflow/tfjs-core";
import type { Group } from "mlsl";

/** Losses and metrics of an epoch by name, as callbacks get them. */
export type Logs = Record<string, number | Scalar>;

/** What this rank's logs are averages of. */
export interface LogsOrigin {
  /** Names of loss and metrics, the same on all ranks. */
  readonly labels: readonly string[];
  /** Samples that this rank has trained on. */
  readonly samples: number;
  /** Samples that this rank has validated on. */
  readonly validationSamples: number;
}

/** Training logs have the name of the label, validation logs this before it. */
const PREFIXES = ["", "val_"] as const;

/**
 * Replaces the values by their averages over the ranks, weighted by samples, as numbers. Ranks
 * without samples get the others' training logs; validation logs only change where there are any,
 * and ranks without validation do not count in them. A collective operation.
 */
export async function averageLogs(group: Group, logs: Logs, origin: LogsOrigin): Promise<void> {
  const { labels, samples, validationSamples } = origin;
  const rowCount = labels.length + 1;
  // Two rows, training and validation: the weight, then weight × value of each label.
  const sums = new Float64Array(PREFIXES.length * rowCount);
  const isLogged = PREFIXES.map((prefix) => labels.every((label) => prefix + label in logs));
  for (const [row, prefix] of PREFIXES.entries()) {
    if (!isLogged[row]) continue;
    const weight = prefix === "" ? samples : validationSamples;
    sums[row * rowCount] = weight;
    for (const [i, label] of labels.entries()) {
      sums[row * rowCount + 1 + i] = weight * (await takeNumber(logs[prefix + label] ?? 0));
    }
  }
  await group.allreduce(sums, sums);
  for (const [row, prefix] of PREFIXES.entries()) {
    const weight = sums[row * rowCount] as number;
    if (weight === 0 || (prefix !== "" && !isLogged[row])) continue;
    for (const [i, label] of labels.entries()) {
      logs[prefix + label] = (sums[row * rowCount + 1 + i] as number) / weight;
    }
  }
}

async function takeNumber(value: number | Scalar): Promise<number> {
  if (typeof value === "number") return value;
  const [number] = await value.data();
  value.dispose();
  return number as number;
}
