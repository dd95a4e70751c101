import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigError, loadNetwork, MIN_GAS_LIMIT, NETWORKS, type NetworkConfig } from "@cambium/config";
import { joinBytes } from "@cambium/primitives";
import { CliError, invalid } from "./errors.js";
import { parseNumber, text, toggle, type Values } from "./flags/flag.js";
import { plainReason } from "./system-errors.js";

export const NETWORK = text("name|file", "main, test, dev, local, or the path of a network definition (JSON)", {
  isRequired: true,
});
export const CONFIG = text("file", "TOML file with settings, which flags and environment variables override");
export const JSON_OUTPUT = toggle("print the result as JSON");

/** Flags of commands that open the data of a node. */
export const DATA_FLAGS = {
  network: NETWORK,
  "data-dir": text("folder", "data directory (default: ~/.cambium/<network>)"),
  config: CONFIG,
};

/** Mistakes in a network definition that are listed. */
const MAX_PROBLEMS = 3;

/** Values of {@link DATA_FLAGS} that select the data. */
type DataOptions = Pick<Values<typeof DATA_FLAGS>, "network" | "data-dir">;

/** The network and the data directory; by default, that is a folder for each network in the home directory. */
export async function resolveData(options: DataOptions): Promise<{ network: NetworkConfig; dataDir: string }> {
  const network = await resolveNetwork(options.network);
  return { network, dataDir: options["data-dir"] ?? join(homedir(), ".cambium", network.name) };
}

/** Resolves the value of `--network`. Rejects with {@link CliError}. */
export async function resolveNetwork(name: string): Promise<NetworkConfig> {
  if (Object.hasOwn(NETWORKS, name)) return NETWORKS[name as keyof typeof NETWORKS];
  if (!name.endsWith(".json") && !existsSync(name)) {
    throw new CliError({ code: "UNKNOWN_NETWORK", name, known: Object.keys(NETWORKS).join(", ") });
  }
  return loadNetwork(parseJson(name, readText(name))).catch((error) => {
    if (!(error instanceof ConfigError)) throw error;
    throw new CliError({ code: "FILE_UNREADABLE", path: name, reason: networkFault(error) });
  });
}

/** The first mistakes in a network definition. */
function networkFault({ details }: ConfigError): string {
  if (details.code === "UNKNOWN_NETWORK") {
    return `extends: unknown network '${details.name}': expected ${details.known.join(", ")}`;
  }
  const { problems } = details;
  const rest = problems.length - MAX_PROBLEMS;
  return `${problems.slice(0, MAX_PROBLEMS).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
}

/** Default maximum size of a file that is read as a whole, in bytes. */
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
    throw new CliError({ code: "FILE_UNREADABLE", path, reason: plainReason(error) });
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
    // Some messages quote the text, with its line breaks.
    const reason = plainReason(error).replace(/, (\.\.\.)?".*/, "");
    throw new CliError({ code: "FILE_UNREADABLE", path, reason: `expected JSON: ${reason}` });
  }
}

/** A gas limit that blocks can have. Throws {@link CliError} `INVALID_OPTION`. */
export function parseGasLimit(text: string, option: string): number {
  return parseNumber(option, text, Number.MAX_SAFE_INTEGER, Number(MIN_GAS_LIMIT));
}

/** An amount of wei. Throws {@link CliError} `INVALID_OPTION`. */
export function parseWei(text: string, option: string): bigint {
  if (/^\d{1,30}$/.test(text)) return BigInt(text);
  throw invalid(option, text, "a whole number of wei");
}
