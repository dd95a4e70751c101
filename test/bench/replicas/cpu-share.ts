import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Mechanisms that limit the processor time of groups of processes. The first one that this machine has and permits is
 * used.
 */
const HIERARCHIES = [
  {
    root: "/sys/fs/cgroup/cpu",
    mark: "cpu.cfs_quota_us",
    limit: (folder: string, quota: number) => {
      writeFileSync(join(folder, "cpu.cfs_period_us"), String(PERIOD));
      writeFileSync(join(folder, "cpu.cfs_quota_us"), String(quota));
    },
  },
  {
    root: "/sys/fs/cgroup",
    mark: "cgroup.subtree_control",
    limit: (folder: string, quota: number) => writeFileSync(join(folder, "cpu.max"), `${quota} ${PERIOD}`),
  },
];
/** Period in microseconds, short so that a process does not wait long for its next share. */
const PERIOD = 10_000;

/** Limits processes to a share of a core each; Linux, with the rights to do so. */
export class CpuShare {
  private readonly folders: string[] = [];

  /** Returns false if this machine does not allow it. */
  limit(pid: number, share: number): boolean {
    for (const { root, mark, limit } of HIERARCHIES) {
      if (!existsSync(join(root, mark))) continue;
      const folder = join(root, `cambium-bench-${pid}`);
      try {
        mkdirSync(folder);
        this.folders.push(folder);
        limit(folder, Math.round(share * PERIOD));
        writeFileSync(join(folder, "cgroup.procs"), String(pid));
        return true;
      } catch {
        // The hierarchy is read-only, or lacks the controller.
      }
    }
    return false;
  }

  /** Removes the groups; call it when the processes have ended. */
  remove(): void {
    for (const folder of this.folders) rmdirSync(folder);
  }
}
