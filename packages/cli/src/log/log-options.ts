import { type Command, Option } from "commander";
import { parseNumber } from "../options.js";
import { type LogLevels, parseLogLevels } from "./log-levels.js";
import type { LogFileOptions } from "./rotating-file.js";

/** Flags for the log, as commander parses them. */
export interface LogFlags {
  "log.level": string;
  "log.format"?: "text" | "json";
  "log.file"?: string;
  "log.fileSize": string;
  "log.fileCount": string;
}

/** Where the log goes, and in which form. */
export interface LogOptions {
  levels: LogLevels;
  /** Of standard output. */
  format: "text" | "json";
  file?: (LogFileOptions & { format: "text" | "json" }) | undefined;
}

const MAX_MEGABYTES = 1_000_000;
const MAX_FILES = 1_000;

/** Adds the flags of {@link LogFlags} to a command. */
export function addLogOptions(command: Command): Command {
  return command
    .option("--log.level <levels>", "least level of the lines that are logged, also by package: info,p2p=debug", "info")
    .addOption(
      new Option("--log.format <format>", "form of the lines (default: text on a terminal, otherwise json)").choices([
        "text",
        "json",
      ]),
    )
    .option("--log.file <file>", "also log to this file, as JSON unless --log.format says otherwise")
    .option("--log.file-size <megabytes>", "size at which a new file begins", "100")
    .option("--log.file-count <n>", "number of full files to keep, as <file>.1 (the newest) and so on", "5");
}

/** Throws `CliError` `INVALID_OPTION`. */
export function logOptions(flags: LogFlags, isTerminal = process.stdout.isTTY === true): LogOptions {
  const format = flags["log.format"];
  const path = flags["log.file"];
  const maxBytes = Math.max(1, parseNumber("--log.file-size", flags["log.fileSize"], MAX_MEGABYTES)) * 1e6;
  const kept = parseNumber("--log.file-count", flags["log.fileCount"], MAX_FILES);
  return {
    levels: parseLogLevels(flags["log.level"]),
    format: format ?? (isTerminal ? "text" : "json"),
    file: path === undefined ? undefined : { path, maxBytes, kept, format: format ?? "json" },
  };
}
