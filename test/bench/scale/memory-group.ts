import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

/** How a version of cgroups limits memory. */
interface GroupVersion {
  /** Type of the file system. */
  type: string;
  /** Finds the group in `/proc/self/cgroup`. */
  group: RegExp;
  limit: string;
  /** Limit of swap, 0: memory beyond the limit is not swapped. */
  swap: string;
  /** Lets groups below a folder have limits. Returns whether that folder controls memory. */
  prepare: (folder: string) => boolean;
}

const VERSIONS: readonly GroupVersion[] = [
  { type: "cgroup2", group: /^0::(.*)$/m, limit: "memory.max", swap: "memory.swap.max", prepare: passOnMemory },
  {
    type: "cgroup",
    group: /^\d+:(?:.*,)?memory(?:,.*)?:(.*)$/m,
    limit: "memory.limit_in_bytes",
    swap: "memory.swappiness",
    prepare: (folder) => existsSync(join(folder, "memory.limit_in_bytes")),
  },
];

/**
 * Creates a group of processes with this limit of memory below that of this process; returns its folder. Throws if that
 * is impossible.
 */
export function createMemoryGroup(megabytes: number): string {
  const { folder, limit, swap } = ownGroup();
  const group = join(folder, `scale-${process.pid}`);
  mkdirSync(group);
  try {
    writeFileSync(join(group, limit), String(megabytes * 2 ** 20));
    if (existsSync(join(group, swap))) writeFileSync(join(group, swap), "0");
  } catch (error) {
    rmdirSync(group);
    throw error;
  }
  return group;
}

/** Returns the group of this process, of the version that controls memory. */
function ownGroup(): GroupVersion & { folder: string } {
  const groups = readFileSync("/proc/self/cgroup", "utf8");
  for (const version of VERSIONS) {
    const path = version.group.exec(groups)?.[1];
    if (path === undefined) continue;
    const folders = mountsOf(version.type).map(({ root, point }) => join(point, relative(root, path)));
    const folder = folders.find(version.prepare);
    if (folder !== undefined) return { ...version, folder };
  }
  throw new Error("no cgroup controls memory");
}

/** Mounts of a type of file system (`man 5 proc_pid_mountinfo`). */
function mountsOf(type: string): { root: string; point: string }[] {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8").trim().split("\n");
  return mounts
    .map((mount) => mount.split(" "))
    .filter((fields) => fields[fields.indexOf("-") + 1] === type)
    .map((fields) => ({ root: fields[3]!, point: fields[4]! }));
}

/** Enables limits. Impossible while there are processes in the folder's group itself, unless it is the root. */
function passOnMemory(folder: string): boolean {
  if (!isListed(join(folder, "cgroup.controllers"))) return false;
  const control = join(folder, "cgroup.subtree_control");
  if (!isListed(control)) writeFileSync(control, "+memory");
  return true;
}

function isListed(file: string): boolean {
  return existsSync(file) && readFileSync(file, "utf8").trim().split(" ").includes("memory");
}
