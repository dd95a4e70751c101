import { readFileSync } from "node:fs";

/** Returns the fields after the name in `/proc/<pid>/stat`; empty if the process has ended. Linux only. */
export function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
  } catch {
    return [];
  }
}

/** Milliseconds of processor time that all threads of a process have used so far; NaN if it has ended. Linux only. */
export function processorTime(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
