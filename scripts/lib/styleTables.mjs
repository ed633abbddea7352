// What the style checks allow, and why. Every entry carries its reason.

/** The longest file, in lines: what one reading holds. Generated files are excepted. */
export const MAX_FILE_LINES = 500;
/** Limits for AssemblyScript, which Biome cannot parse; the same numbers as in biome.json. */
export const MAX_FUNCTION_LINES = 60;
export const MAX_PARAMETERS = 5;
export const MAX_COLUMNS = 100;
/** How far above an atomic operation its reason may stand. */
export const ATOMIC_COMMENT_LINES = 4;

/**
 * Layers of packages/mlsl/src by their first folder (or file), lowest first. A file imports from
 * its own layer and from those before it; two in one row may know each other, and Biome's
 * noImportCycles keeps the files apart.
 */
export const LAYERS = [
  // Numbers, names and layouts that every layer speaks of.
  ["memory", "errors", "types"],
  // Arithmetic on the segment; knows addresses, not ranks.
  ["kernels"],
  // What moves where: pure functions of (rank, ranks, count); knows nothing that runs.
  ["schedules"],
  // Groups and requests: runs schedules with kernels.
  ["collectives"],
  // Finds a rank's place in its job and makes its first group.
  ["bootstrap"],
  // Starts ranks, so it must know what bootstrap reads.
  ["launcher"],
  // What people call: the command line and the benchmark that it offers.
  ["cli", "bench"],
  // The public face re-exports from anywhere.
  ["index"],
];

/**
 * Sources that hold logic and have no test of their own name beside them. Files without logic
 * (types and constants only), generated files, fixtures/ and testing/ need no entry.
 */
export const UNTESTED = {};
