import { readFileSync } from "node:fs";

/** Figures of an import or a synchronisation, of all threads. */
export interface Figures {
  blocks: number;
  seconds: number;
  cpuSeconds: number;
  peakMegabytes: number;
  /** Bytes written to the disk. */
  written: number;
  /** Seconds by stage of the import of a block. */
  stages: Readonly<Record<string, number>>;
  /** Seconds in which threads were not idle, by their task. */
  threads: Readonly<Record<string, number>>;
}

/** Metrics of these times. */
export const STAGES = { name: "cambium_block_import_stage_seconds", label: "stage" } as const;
export const THREADS = { name: "cambium_thread_busy_seconds_total", label: "thread" } as const;

/** Returns the peak of a process's resident memory, in megabytes, and the bytes that it has written to the disk. */
export function processFigures(pid: number | "self"): { peakMegabytes: number; written: number } {
  const number = (file: string, name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))![1]);
  return { peakMegabytes: number("status", "VmHWM") / 1_024, written: number("io", "write_bytes") };
}
