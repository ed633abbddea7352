import assert from "node:assert/strict";
import { test } from "node:test";
import { cgroupFolders, readCgroupValue } from "./cgroup.js";

test("version 2: the one line names the folder for every controller", () => {
  assert.deepEqual(cgroupFolders("0::/user.slice/job\n", "memory"), [
    "/sys/fs/cgroup/user.slice/job",
    "/sys/fs/cgroup/memory",
    "/sys/fs/cgroup",
  ]);
});

test("version 1: the controller's own line names it", () => {
  const membership = "9:name=systemd:/\n4:memory:/a:b/c\n2:cpu,cpuacct:/d\n";
  assert.equal(cgroupFolders(membership, "memory")[0], "/sys/fs/cgroup/memory/a:b/c");
  assert.equal(cgroupFolders(membership, "cpu")[0], "/sys/fs/cgroup/cpu,cpuacct/d");
});

test("the top of the tree has no slash at its end", () => {
  assert.deepEqual(cgroupFolders("0::/", "cpu")[0], "/sys/fs/cgroup");
});

test("a value that no folder holds is undefined", () => {
  assert.equal(readCgroupValue("memory", "no.such.value"), undefined);
});
