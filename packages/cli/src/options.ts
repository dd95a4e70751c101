import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { loadNetwork, MIN_GAS_LIMIT, NETWORKS, type NetworkConfig, type NetworkName } from "@cambium/config";
import { joinBytes } from "@cambium/primitives";
import { Option } from "commander";
import { CliError } from "./errors.js";

export function networkOption(): Option {
  return new Option(
    "--network <name|file>",
    "main, test, dev, local, or the path of a network definition (JSON)",
  ).makeOptionMandatory();
}

export function dataDirOption(): Option {
  return new Option("--data-dir <folder>", "data directory (default: ~/.cambium/<network>)");
}

export function jsonOption(): Option {
  return new Option("--json", "print the result as JSON");
}

/** Resolves the value of `--network`. Rejects with {@link CliError}, or `ConfigError` for a malformed definition. */
export async function resolveNetwork(name: string): Promise<NetworkConfig> {
  if (Object.hasOwn(NETWORKS, name)) return NETWORKS[name as NetworkName];
  if (!name.endsWith(".json") && !existsSync(name)) {
    throw new CliError({ code: "UNKNOWN_NETWORK", name, known: Object.keys(NETWORKS).join(", ") });
  }
  return loadNetwork(parseJson(name, readText(name)));
}

/** Resolves `--data-dir`; the default is a folder per network in the home directory. */
export function resolveDataDir(option: string | undefined, network: NetworkConfig): string {
  return option ?? join(homedir(), ".cambium", network.name);
}

/** Maximum size of a file that is read as a whole, in bytes, unless the caller has another one. */
const MAX_FILE = 256 * 2 ** 20;
const CHUNK = 2 ** 16;

/** Text of a file of at most `maximum` bytes. Throws {@link CliError} `FILE_NOT_FOUND` or `FILE_UNREADABLE`. */
export function readText(path: string, maximum = MAX_FILE): string {
  requireFile(path);
  return Buffer.from(readWhole(path, maximum)).toString("utf8");
}

/** Content of a file, pipe or device of at most `maximum` bytes. Throws {@link CliError} `FILE_UNREADABLE`. */
export function readWhole(path: string, maximum = MAX_FILE): Uint8Array {
  try {
    const file = openSync(path, "r");
    try {
      return readToEnd(file, maximum);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new CliError({ code: "FILE_UNREADABLE", path, reason: (error as Error).message });
  }
}

function readToEnd(file: number, maximum: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let size = 0; size <= maximum; ) {
    const chunk = new Uint8Array(CHUNK);
    const length = readSync(file, chunk);
    if (length === 0) return joinBytes(chunks);
    chunks.push(chunk.subarray(0, length));
    size += length;
  }
  throw new Error(`it is larger than ${maximum} bytes`);
}

/** Throws {@link CliError} `FILE_UNREADABLE` for a pipe or a device: a running node cannot wait for its end. */
export function requireNoPipe(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return;
  throw new CliError({ code: "FILE_UNREADABLE", path, reason: "it is not a regular file" });
}

export function requireFile(path: string): void {
  if (!existsSync(path)) throw new CliError({ code: "FILE_NOT_FOUND", path });
  if (statSync(path).isDirectory()) throw new CliError({ code: "FILE_UNREADABLE", path, reason: "it is a directory" });
}

export function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError({ code: "FILE_UNREADABLE", path, reason: (error as Error).message });
  }
}

/** A non-negative integer up to `maximum`. Throws {@link CliError} `INVALID_OPTION`. */
export function parseNumber(option: string, text: string, maximum = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= maximum)) {
    throw new CliError({
      code: "INVALID_OPTION",
      option,
      value: text,
      expected: `a whole number from 0 to ${maximum}`,
    });
  }
  return value;
}

/** A gas limit that blocks can have. Throws {@link CliError} `INVALID_OPTION`. */
export function parseGasLimit(option: string, text: string): number {
  const value = parseNumber(option, text);
  if (value >= MIN_GAS_LIMIT) return value;
  throw new CliError({ code: "INVALID_OPTION", option, value: text, expected: `at least ${MIN_GAS_LIMIT}` });
}

/** The words of an option; undefined if it is not given. */
export function words(text: string | undefined): string[] | undefined {
  return text?.split(/\s+/).filter((word) => word.length > 0);
}
