/** The measured table of algorithms that a job is started with. */

import { readFileSync } from "node:fs";
import type { ChoiceTable } from "../schedules/choice/choiceTable.js";
import { parseChoiceTable } from "../schedules/choice/parseChoiceTable.js";

/**
 * Reads the file that `MLSL_TUNING` names, as `mlsl bench --tune` writes it.
 *
 * @returns undefined if none is named
 * @throws {Error} If it cannot be read or is no such table; names the file.
 */
export function readTuning(path: string | undefined): ChoiceTable | undefined {
  if (path === undefined || path === "") return undefined;
  try {
    return parseChoiceTable(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Cannot read the table of algorithms that MLSL_TUNING names, ${path}: ${reason}`,
      {
        cause,
      },
    );
  }
}
