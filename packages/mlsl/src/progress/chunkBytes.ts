/** How large the chunks are in which progress workers exchange data. */

import { chunkBytesFor } from "../engine/chunkSize.js";
import type { WorkerFigures } from "../schedules/choice/choiceTable.js";

/**
 * What is used where nobody has measured: figures of a 2-core machine (AMD EPYC, Node 20), as
 * `mlsl bench --tune file --progress-workers 1` writes them.
 */
const MEASURED: WorkerFigures = { overheadMs: 0.0021, bandwidthGBps: 15 };

/** Bytes of a chunk. @param measured of this machine */
export function workerChunkBytes(measured: WorkerFigures | undefined): number {
  return chunkBytesFor(measured ?? MEASURED);
}
