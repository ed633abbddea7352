/** Limits that a control group sets, read from /sys/fs/cgroup (versions 1 and 2). */

import { readFileSync } from "node:fs";

const ROOT = "/sys/fs/cgroup";

/**
 * Folders in which a controller's files may lie, most specific first.
 *
 * @param membership content of /proc/self/cgroup: lines of `number:controllers:path`
 * @param controller for example `memory`
 */
export function cgroupFolders(membership: string, controller: string): string[] {
  const folders: string[] = [];
  for (const line of membership.split("\n")) {
    const match = /^\d+:([^:]*):(\/.*)$/.exec(line);
    if (match === null) continue;
    const [, controllers, path] = match;
    // In version 2 there is one tree and its line names no controller.
    if (controllers === "") folders.push(ROOT + path);
    else if (controllers?.split(",").includes(controller)) {
      folders.push(`${ROOT}/${controllers}${path}`);
    }
  }
  // Inside a container the path is often that of the host, while the mount is the container's.
  return [...folders, `${ROOT}/${controller}`, ROOT].map((folder) => folder.replace(/\/$/, ""));
}

/** The first file of a name in the folders of this process's control group, if there is one. */
export function readCgroupValue(controller: string, name: string): string | undefined {
  const membership = readText("/proc/self/cgroup") ?? "";
  for (const folder of cgroupFolders(membership, controller)) {
    const text = readText(`${folder}/${name}`);
    if (text !== undefined) return text.trim();
  }
  return undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // Absent or not readable: no limit is known from it.
  }
}
