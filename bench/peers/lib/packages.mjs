// What must be on the machine before the peers can be compiled and run.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Debian packages, each with a file that tells whether it is there. */
const NEEDED = [
  { name: "openmpi-bin", file: "/usr/bin/mpirun.openmpi" },
  { name: "libopenmpi-dev", file: "/usr/bin/mpicc.openmpi" },
  { name: "mpich", file: "/usr/bin/mpirun.mpich" },
  { name: "libmpich-dev", file: "/usr/bin/mpicc.mpich" },
  { name: "libgloo-dev", file: "/usr/include/gloo/allreduce.h" },
  { name: "gcc", file: "/usr/bin/gcc" },
  { name: "g++", file: "/usr/bin/g++" },
];
/** Packages whose versions belong to the figures. */
const PEER_PACKAGES = ["openmpi-bin", "mpich", "libgloo-dev", "gcc"];
/** Some 100 MB are fetched; ten minutes do on a slow line. */
const INSTALL_LIMIT_MS = 600_000;

const APT = ["install", "-y", "--no-install-recommends"];

/** Names of the packages that are not there. */
export function missingPackages(exists = existsSync) {
  return NEEDED.filter(({ file }) => !exists(file)).map(({ name }) => name);
}

/** What to tell who lacks packages. */
export function missingMessage(missing) {
  return (
    `Cannot measure the peers: ${missing.join(", ")} not installed; run\n` +
    `  apt-get update && apt-get ${APT.join(" ")} ${missing.join(" ")}\n` +
    "or give --install, as root"
  );
}

/** Installs packages with apt-get; its output is shown. */
export function installPackages(names) {
  const options = { stdio: ["ignore", "inherit", "inherit"], timeout: INSTALL_LIMIT_MS };
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  execFileSync("apt-get", ["update"], { ...options, env });
  execFileSync("apt-get", [...APT, ...names], { ...options, env });
}

/** The installed versions, as one line. */
export function peerVersions() {
  const format = `\${Package} \${Version}\n`;
  const text = execFileSync("dpkg-query", ["-W", "-f", format, ...PEER_PACKAGES], {
    encoding: "utf8",
  });
  return text.trim().split("\n").join(", ");
}
