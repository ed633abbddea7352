// Compiles the programs of this folder.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** For the machine that measures: the peers' own libraries choose their instructions likewise. */
const FLAGS = ["-O3", "-march=native", "-Wall", "-Wextra"];
/** Gloo's headers leave parameters unused and compare signed with unsigned. */
const GLOO_FLAGS = ["-O3", "-march=native", "-std=c++17", "-w"];
/** A slow machine takes a quarter of a minute for the largest. */
const COMPILE_LIMIT_MS = 120_000;

const PROGRAMS = [
  { name: "mpi-openmpi", compiler: "mpicc.openmpi", args: [...FLAGS, "mpi.c"] },
  { name: "mpi-mpich", compiler: "mpicc.mpich", args: [...FLAGS, "mpi.c"] },
  { name: "gloo", compiler: "g++", args: [...GLOO_FLAGS, "gloo.cc"], libraries: ["-lgloo"] },
  { name: "limits", compiler: "gcc", args: [...FLAGS, "limits.c"] },
];

function newestSourceMs(sources) {
  const names = readdirSync(sources).filter((name) => /\.(c|cc|h)$/.test(name));
  return Math.max(...names.map((name) => statSync(join(sources, name)).mtimeMs));
}

/** Compiles what is older than the newest source into a folder. */
export function buildPrograms(sources, folder) {
  mkdirSync(folder, { recursive: true });
  const newestMs = newestSourceMs(sources);
  for (const { name, compiler, args, libraries = [] } of PROGRAMS) {
    const file = join(folder, name);
    if (existsSync(file) && statSync(file).mtimeMs > newestMs) continue;
    console.error(`compiling ${name}`);
    execFileSync(compiler, [...args, "-o", file, ...libraries, "-pthread"], {
      cwd: sources,
      stdio: ["ignore", "inherit", "inherit"],
      timeout: COMPILE_LIMIT_MS,
    });
  }
}
