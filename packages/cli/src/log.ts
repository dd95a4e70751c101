import { type Logger, pino } from "pino";
import { withSourcePositions } from "./source-positions.js";

/** Bytes of lines that wait while the log cannot be written; further lines are dropped. */
const MAX_WAITING = 1024 * 1024;
const STDOUT = 1;

/**
 * The log on standard output. A log that cannot be written, since its disk is full or its reader has ended, must not stop the
 * node: by default, the error would be thrown where the line is logged. Stack traces name the source, those of other threads too.
 */
export function openLog(level = "info"): Logger {
  const destination = pino.destination({ dest: STDOUT, sync: true, maxLength: MAX_WAITING });
  for (const output of [destination, process.stdout]) output.on("error", () => undefined);
  const lines = { write: (line: string) => destination.write(withSourcePositions(line)) };
  return pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, lines);
}
