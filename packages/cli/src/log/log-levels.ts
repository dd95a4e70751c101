import type { Level } from "pino";
import { CliError, invalid } from "../errors.js";

/** Parts of a node with separate names in the log; `node` stands for everything else. */
export const LOG_PACKAGES = ["node", "chain", "sync", "p2p", "txpool", "miner", "rpc"] as const;
export type LogPackage = (typeof LOG_PACKAGES)[number];

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = Level | "silent";

/** Levels of the log: one for all packages, and exceptions. */
export interface LogLevels {
  all: LogLevel;
  packages: Partial<Record<LogPackage, LogLevel>>;
}

/** Parses `info,p2p=debug`. Throws {@link CliError} `INVALID_OPTION`. */
export function parseLogLevels(text: string): LogLevels {
  const levels: LogLevels = { all: "info", packages: {} };
  for (const part of text.split(",").map((one) => one.trim())) {
    const [name, level] = part.includes("=") ? (part.split("=", 2) as [string, string]) : [undefined, part];
    if (!isOneOf(LEVELS, level)) throw invalid("--log.level", text, `${LEVELS.join(", ")}, but found '${level}'`);
    if (name === undefined) levels.all = level;
    else if (isOneOf(LOG_PACKAGES, name)) levels.packages[name] = level;
    else
      throw invalid(
        "--log.level",
        text,
        `a level, then <package>=<level> with ${LOG_PACKAGES.join(", ")}, but found '${name}'`,
      );
  }
  return levels;
}

function isOneOf<T extends string>(known: readonly T[], text: string): text is T {
  return (known as readonly string[]).includes(text);
}
