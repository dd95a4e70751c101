import { type Logger, pino } from "pino";

/** Bytes of lines that wait while the log cannot be written; further lines are dropped. */
const MAX_WAITING = 1024 * 1024;
const STDOUT = 1;

/**
 * The log on standard output. A log that cannot be written, since its disk is full or its reader has ended, must not stop the
 * node: by default, the error would be thrown where the line is logged.
 */
export function openLog(): Logger {
  const destination = pino.destination({ dest: STDOUT, sync: true, maxLength: MAX_WAITING });
  for (const output of [destination, process.stdout]) output.on("error", () => undefined);
  return pino({ base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
