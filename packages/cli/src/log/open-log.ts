import { type Logger, pino } from "pino";
import { withSourcePositions } from "../source-positions.js";
import type { LogLevels, LogPackage } from "./log-levels.js";
import type { LogOptions } from "./log-options.js";
import { RotatingFile } from "./rotating-file.js";
import { textLine } from "./text-line.js";

/** Bytes of lines that wait while the log cannot be written; further lines are dropped. */
const MAX_WAITING = 1024 * 1024;
const STDOUT = 1;

/**
 * The log on standard output and, if asked for, in a file. A log that cannot be written, since its disk is full or its reader has ended,
 * must not stop the node: by default, the error would be thrown where the line is logged. Stack traces name the source, those of other
 * threads too. A child logger with the binding `package` has the level of its package. Throws `CliError` `LOG_FILE`.
 */
export function openLog({ levels, format, file }: LogOptions): Logger {
  const destination = pino.destination({ dest: STDOUT, sync: true, maxLength: MAX_WAITING });
  for (const output of [destination, process.stdout]) output.on("error", () => undefined);
  const target = file && new RotatingFile(file);
  const isTerminal = process.stdout.isTTY === true;
  const shown = { isTerminal, hasColours: isTerminal && process.stdout.hasColors() };
  const lines = {
    write(line: string) {
      const json = withSourcePositions(line);
      destination.write(format === "text" ? textLine(json, shown) : json);
      target?.write(file!.format === "text" ? textLine(json) : json);
    },
  };
  const options = {
    level: levels.packages.node ?? levels.all,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    onChild: (child: Logger) => setLevel(child, levels),
  };
  return pino(options, lines);
}

function setLevel(child: Logger, { all, packages }: LogLevels): void {
  child.level = packages[child.bindings().package as LogPackage] ?? all;
}
