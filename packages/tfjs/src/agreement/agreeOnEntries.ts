/**
 * Ranks that hold lists which ought to be the same – parameters, weights, settings – find out
 * whether they are, before any data moves.
 *
 * The root's list travels to everybody as JSON, every rank compares it with its own, and the ranks
 * tell each other what they found. So all of them fail, and with the same words, even though only
 * one may be wrong.
 */

import type { Group } from "mlsl";

/** One line of a list: what is compared, and the value that ought to be the same everywhere. */
export interface Entry {
  readonly name: string;
  readonly value: string;
}

/** What the ranks are about to do, and whose list counts. */
export interface Agreement {
  /** The action that fails if the lists differ, for example "Cannot broadcast weights". */
  readonly action: string;
  /** What has to be done about a difference. */
  readonly remedy: string;
  /** @default 0 */
  readonly root?: number;
}

/** Bytes of JSON that a root may send: 64 MiB hold the names of some 500,000 parameters. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/**
 * Compares this rank's list with that of the root. A collective operation.
 *
 * @throws {Error} On every rank, if any rank's list differs: names the entry, what the root holds
 *   and what the others hold.
 */
export function agreeOnEntries(group: Group, entries: readonly Entry[], about: Agreement): void {
  if (group.ranks === 1) return;
  const root = about.root ?? 0;
  const expected = broadcastJson<readonly Entry[]>(group, entries, root);
  const index = firstDifference(expected, entries);
  const found = new Int32Array(group.ranks);
  group.allgatherSync(Int32Array.of(index), found);
  const differing = [...found.keys()].filter((rank) => found[rank] !== -1);
  const witness = differing[0];
  if (witness === undefined) return;
  const at = found[witness] as number;
  const theirs = broadcastJson<Entry | null>(group, entries[at] ?? null, witness);
  const others =
    differing.length > 1 ? `; ranks that differ from rank ${root}: ${differing.join(", ")}` : "";
  throw new Error(
    `${about.action}: entry ${at} differs between the ranks, rank ${root} has ` +
      `${describe(expected[at])} and rank ${witness} has ${describe(theirs)}${others}; ` +
      about.remedy,
  );
}

/**
 * Every rank gets the root's value. A collective operation.
 *
 * @throws {RangeError} On every rank, if the value takes more than 64 MiB.
 */
export function broadcastJson<T>(group: Group, value: T, root: number): T {
  const own = group.rank === root ? new TextEncoder().encode(JSON.stringify(value)) : undefined;
  const byteLength = Int32Array.of(own?.length ?? 0);
  group.broadcastSync(byteLength, { root });
  const count = byteLength[0] as number;
  if (count > MAX_JSON_BYTES) {
    throw new RangeError(
      `Cannot describe the data of rank ${root}: expected at most ${MAX_JSON_BYTES} bytes of ` +
        `names and shapes, got ${count}`,
    );
  }
  const bytes = own ?? new Uint8Array(count);
  group.broadcastSync(bytes, { root });
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

/** Index of the first entry that is not the same in both lists, or −1. */
function firstDifference(expected: readonly Entry[], own: readonly Entry[]): number {
  const longest = Math.max(expected.length, own.length);
  for (let i = 0; i < longest; i++) {
    const a = expected[i];
    const b = own[i];
    if (a?.name !== b?.name || a?.value !== b?.value) return i;
  }
  return -1;
}

function describe(entry: Entry | null | undefined): string {
  return entry ? `"${entry.name}" ${entry.value}` : "nothing there";
}
