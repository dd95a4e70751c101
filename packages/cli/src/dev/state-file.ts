import { accessSync, constants, existsSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { toData } from "@cambium/primitives";
import { CliError } from "../errors.js";
import { readWhole } from "../options.js";
import { setNamedFileMode } from "../private-files.js";
import { reasonAndRemedy } from "../system-errors.js";

/** Throws {@link CliError} `FILE_UNWRITABLE` if the file cannot be written at the end. */
export function requireStateFile(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw new CliError({ code: "FILE_UNWRITABLE", path, reason: reasonAndRemedy(error) });
  }
}

/**
 * Loads the accounts of a file, if it exists, into the chain of a node. Rejects with {@link CliError}
 * `FILE_UNREADABLE`.
 */
export async function loadStateFile(url: string, path: string): Promise<void> {
  if (!existsSync(path)) return;
  await call(url, path, "anvil_loadState", [toData(readWhole(path))]);
}

/** Writes the accounts of a node's best block to a file, which is replaced as a whole. */
export async function saveStateFile(url: string, path: string): Promise<void> {
  const state = String(await call(url, path, "anvil_dumpState", []));
  writeFileSync(`${path}.new`, Buffer.from(state.slice(2), "hex"));
  setNamedFileMode(`${path}.new`);
  renameSync(`${path}.new`, path);
}

async function call(url: string, path: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error !== undefined) throw new CliError({ code: "FILE_UNREADABLE", path, reason: answer.error.message });
  return answer.result;
}
