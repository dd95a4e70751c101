import { openSync, readSync } from "node:fs";
import { platform } from "node:os";

/** Begins with the nanoseconds that the thread which opened it has run. */
const SCHEDULER_FILE = "/proc/thread-self/schedstat";
const MAX_LENGTH = 64;
const SPACE = 32;

/**
 * A clock of the processor time of the calling thread, in milliseconds; only differences are meaningful. It does not count the time in which the
 * thread waits for a processor. Where the system does not report processor time (other systems than Linux), it counts elapsed time.
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
