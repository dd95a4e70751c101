import { choice, grouped, integer, list, text, type Values } from "../flags/flag.js";
import { type LogLevels, parseLogLevels } from "./log-levels.js";
import type { LogFileOptions } from "./rotating-file.js";

export const LOG_FLAGS = grouped("Log and monitoring", {
  "log.level": list("levels", "minimum level of logged lines, also by package: info,p2p=debug", {
    default: "info",
  }),
  "log.format": choice("format", ["text", "json"], "form of the lines (default: text on a terminal, otherwise json)"),
  "log.file": text("file", "also log to this file, as JSON unless --log.format says otherwise"),
  "log.file-size": integer("megabytes", "size at which a new file begins", { default: "100", min: 1, max: 1_000_000 }),
  "log.file-count": integer("n", "number of full files to keep, as <file>.1 (the newest) and so on", {
    default: "5",
    max: 1_000,
  }),
});

/** Destinations of the log, and their formats. */
export interface LogOptions {
  levels: LogLevels;
  /** Format of standard output. */
  format: "text" | "json";
  file?: (LogFileOptions & { format: "text" | "json" }) | undefined;
}

/** Throws `CliError` `INVALID_OPTION`. */
export function logOptions(flags: Values<typeof LOG_FLAGS>, isTerminal = process.stdout.isTTY === true): LogOptions {
  const { "log.format": format, "log.file": path, "log.file-size": megabytes, "log.file-count": kept } = flags;
  return {
    levels: parseLogLevels(flags["log.level"].join(",")),
    format: format ?? (isTerminal ? "text" : "json"),
    file: path === undefined ? undefined : { path, maxBytes: megabytes * 1e6, kept, format: format ?? "json" },
  };
}
