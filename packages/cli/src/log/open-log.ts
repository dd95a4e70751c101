import { type Logger, pino } from "pino";
import { withSourcePositions } from "../source-positions.js";
import { type LogLevels, type LogPackage, parseLogLevels } from "./log-levels.js";
import type { LogOptions } from "./log-options.js";
import { RotatingFile } from "./rotating-file.js";
import { textLine } from "./text-line.js";

/** Maximum bytes of lines that wait while the log cannot be written; further lines are dropped. */
const MAX_WAITING = 1024 * 1024;
const STDOUT = 1;

/**
 * Opens the log on standard output and, if requested, in a file. A log that cannot be written, because its disk is full
 * or its reader has ended, must not stop the node: by default, the error would be thrown where the line is logged.
 * Stack traces name the source, including those of other threads. A child logger with the binding `package` has the
 * level of its package. Throws `CliError` `LOG_FILE`.
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
  const opened = { levels, children: new Set<Logger>() };
  const options = {
    level: levels.packages.node ?? levels.all,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    onChild(child: Logger) {
      // One for each package.
      opened.children.add(child);
      setLevel(child, opened.levels);
    },
  };
  const logger = pino(options, lines);
  OPENED.set(logger, opened);
  return logger;
}

/** The levels of a log, and the loggers that have them. */
interface OpenedLog {
  levels: LogLevels;
  readonly children: Set<Logger>;
}

const OPENED = new WeakMap<Logger, OpenedLog>();

/** Changes the levels of a log that {@link openLog} has opened. Throws `CliError` `INVALID_OPTION`. */
export function setLogLevels(logger: Logger, text: string): void {
  const opened = OPENED.get(logger);
  if (opened === undefined) return;
  opened.levels = parseLogLevels(text);
  logger.level = opened.levels.packages.node ?? opened.levels.all;
  for (const child of opened.children) setLevel(child, opened.levels);
}

function setLevel(child: Logger, { all, packages }: LogLevels): void {
  child.level = packages[child.bindings().package as LogPackage] ?? all;
}
