import { spawnSync } from "node:child_process";
import { readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { createMemoryGroup } from "./memory-group.js";

/** Drops the pages of a folder's files from the page cache. Returns undefined, or the reason why that is impossible. */
export function dropFromCache(folder: string): string | undefined {
  for (const name of readdirSync(folder)) {
    const options = [`of=${join(folder, name)}`, "oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none"];
    const reason = failure("dd", options);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Runs programs within a limit of memory, which includes the page cache. */
export interface MemoryLimit {
  /** A program and its parameters that run another one within the limit. */
  command: readonly string[];
  /** Removes the limit; call it when the last program has ended. */
  remove: () => void;
}

/**
 * Returns a limit by systemd or, where it does not run, by a group of processes; or the reasons why neither is
 * possible.
 */
export function memoryLimit(megabytes: number): MemoryLimit | { reason: string } {
  const command = systemdRun(megabytes);
  const reason = failure(command[0]!, [...command.slice(1), "true"]);
  if (reason === undefined) return { command, remove: () => undefined };
  try {
    const group = createMemoryGroup(megabytes);
    return { command: joining(group), remove: () => rmdirSync(group) };
  } catch (error) {
    return { reason: `${reason}; ${(error as Error).message}` };
  }
}

function systemdRun(megabytes: number): readonly string[] {
  const own = process.getuid?.() === 0 ? [] : ["--user"];
  const limits = [`MemoryMax=${megabytes}M`, "MemorySwapMax=0"].flatMap((limit) => ["-p", limit]);
  return ["systemd-run", ...own, "--quiet", "--scope", ...limits];
}

/** Returns a command that joins a group of processes before it becomes the program to run. */
function joining(group: string): readonly string[] {
  return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', join(group, "cgroup.procs")];
}

/** Returns the reason why a program fails; undefined if it does not. */
function failure(program: string, parameters: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, parameters, { encoding: "utf8" });
  if (error !== undefined) return error.message;
  return status === 0 ? undefined : `${program}: ${stderr.trim().split("\n")[0]}`;
}
