import { openSync, readSync } from "node:fs";
import { platform } from "node:os";

/** File that begins with the running time of the thread that opened it, in nanoseconds. */
const SCHEDULER_FILE = "/proc/thread-self/schedstat";
const MAX_LENGTH = 64;
const SPACE = 32;

/**
 * Returns a clock of the processor time of the calling thread, in milliseconds; only differences are meaningful.
 * Waiting for a processor does not count. On systems other than Linux, the clock counts elapsed time.
 */
export function processorClock(): () => number {
  const elapsed = () => performance.now();
  if (platform() !== "linux") return elapsed;
  try {
    const file = openSync(SCHEDULER_FILE, "r");
    const used = () => readUsed(file);
    // A kernel without these statistics shows zeros.
    return used() > 0 ? used : elapsed;
  } catch {
    return elapsed;
  }
}

function readUsed(file: number): number {
  const text = new Uint8Array(MAX_LENGTH);
  readSync(file, text, 0, MAX_LENGTH, 0);
  let nanoseconds = 0;
  for (const code of text.subarray(0, text.indexOf(SPACE))) nanoseconds = nanoseconds * 10 + (code - 48);
  return nanoseconds / 1e6;
}
