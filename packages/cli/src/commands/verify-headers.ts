import type { NetworkConfig } from "@cambium/config";
import { CambiumError, equalBytes, fromHex, toData } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import type { Command } from "commander";
import { CliError } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { JSON_OUTPUT, NETWORK, parseJson, readText, resolveNetwork } from "../options.js";
import { print, printJson } from "../output.js";

/** Verdict on one header; number and hash are null if the bytes do not decode. */
interface HeaderResult {
  number: number | null;
  hash: string | null;
  ok: boolean;
  reason?: string;
}

/** `node-cli verify-headers FILE`: exit status 1 if any header is invalid. */
export function verifyHeadersCommand(command: Command): void {
  command.argument("<file>", "headers as hex-encoded RLP, one per line or as a JSON array of strings");
  withFlags(command, { network: NETWORK, json: JSON_OUTPUT }, async (options, file: string) => {
    const network = await resolveNetwork(options.network);
    const results = await verifyAll(readHeaders(file), network);
    const valid = results.filter(({ ok }) => ok).length;
    const invalid = results.length - valid;
    if (options.json) printJson({ valid, invalid, results });
    else {
      for (const { number, hash, reason } of results.filter(({ ok }) => !ok)) print(`${number} ${hash}: ${reason}`);
      print(`${valid} valid, ${invalid} invalid`);
    }
    if (invalid > 0) process.exitCode = 1;
  });
}

function readHeaders(file: string): string[] {
  const text = readText(file).trim();
  if (!text.startsWith("[")) return text.split(/\s+/).filter((line) => line !== "");
  const list = parseJson(file, text);
  if (Array.isArray(list) && list.every((item) => typeof item === "string")) return list;
  throw new CliError({ code: "FILE_UNREADABLE", path: file, reason: "expected a JSON array of strings" });
}

async function verifyAll(headers: readonly string[], network: NetworkConfig): Promise<HeaderResult[]> {
  const { forkDetectionFormat, proofOfWork } = await import("@cambium/chain");
  const { BlockHeader } = await import("@cambium/types");
  return headers.map((hex) => {
    let header: BlockHeader | undefined;
    try {
      const bytes = fromHex(hex);
      header = BlockHeader.decode(bytes, network);
      if (!equalBytes(header.encode("full"), bytes)) return result(header, "non-canonical encoding");
      if (header.number > 0) {
        proofOfWork(header, network);
        forkDetectionFormat(header, network);
      }
      return result(header);
    } catch (error) {
      if (!(error instanceof CambiumError)) throw error;
      return result(header, error.message);
    }
  });
}

function result(header: BlockHeader | undefined, reason?: string): HeaderResult {
  const hash = header === undefined ? null : toData(header.hash);
  return { number: header?.number ?? null, hash, ok: reason === undefined, ...(reason !== undefined && { reason }) };
}
