import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { toHex } from "@cambium/primitives";
import type { Command } from "commander";
import { checksumOf, expectedChecksum } from "../download/checksum.js";
import { type DownloadOptions, download } from "../download/download.js";
import { CliError } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { text, type Values } from "../flags/flag.js";
import { INTERRUPTED, interruptSignal } from "../interrupt.js";
import { requireFile, resolveData } from "../options.js";
import { ProgressLine, print } from "../output.js";
import { makeDataFolder } from "../private-files.js";
import { type ArchiveOrigin, installArchive, isArchive, requireNoChain } from "../published/install-archive.js";
import { Pace } from "../published/pace.js";
import { SITE_FLAGS } from "../published/site-flags.js";
import { stateOptions } from "../state-options.js";
import { IMPORT_FLAGS, importBlocks } from "./import.js";

const FLAGS = {
  sha256: text("hex", "SHA-256 of the file (default: in the .sha256 file beside it; required for http)"),
  ...SITE_FLAGS,
  ...IMPORT_FLAGS,
};

type BootstrapOptions = Values<typeof FLAGS>;

/** Maximum size of an archive, in bytes: about sixteen times that of main in 2026. */
const MAX_ARCHIVE = 16 * 2 ** 30;

/**
 * `node-cli bootstrap`: downloads, verifies and installs the published state of the network. `node-cli bootstrap
 * URL|FILE` does so with an archive, or imports a block file, after its checksum is verified.
 */
export function bootstrapCommand(program: Command): void {
  const command = program
    .command("bootstrap")
    .description(
      "start from the published state of the network, from a file of it, or from a block file; safe to interrupt and repeat",
    )
    .argument("[url|file]", "address (https or http) or path of an archive of published state, or of a block file");
  withFlags(command, FLAGS, async (options, source: string | undefined) => {
    const signal = interruptSignal();
    try {
      await (source === undefined ? bootstrapPublished(options, signal) : bootstrapFile(source, options, signal));
    } catch (error) {
      if (!signal.aborted) throw error;
      print("interrupted; run the same command again to continue");
    }
    if (signal.aborted) process.exitCode = INTERRUPTED;
  });
}

/** Finds the newest archive that the signers agree on, and installs it. */
async function bootstrapPublished(options: BootstrapOptions, signal: AbortSignal): Promise<void> {
  const { network, dataDir } = await resolveData(options);
  const { findArchive, publishedStateOf } = await import("../published/published-site.js");
  const site = publishedStateOf(network, options);
  const { layout } = stateOptions(options, network);
  await requireNoChain({ network, dataDir, layout, signal });
  const { urls, hash, height, signers, trusted } = await findArchive(site, signal);
  process.stderr.write(`block ${height}: ${signers.length} of ${trusted} signers agree\n`);
  const origin = { height, signers: { valid: signers.length, trusted } };
  for (const [index, url] of urls.entries()) {
    try {
      const file = await downloadVerified(url, toHex(hash), dataDir, { signal, maxBytes: MAX_ARCHIVE });
      return await installDownload(file, origin, options, signal);
    } catch (error) {
      const mayRetry = error instanceof CliError && (error.code === "DOWNLOAD" || error.code === "CHECKSUM");
      if (!mayRetry || index === urls.length - 1) throw error;
      process.stderr.write(`${error.message}; trying another address\n`);
    }
  }
}

async function bootstrapFile(source: string, options: BootstrapOptions, signal: AbortSignal): Promise<void> {
  const { dataDir } = await resolveData(options);
  const url = urlOf(source);
  if (url === undefined) requireFile(source);
  const expected = await expectedChecksum(url ?? source, options.sha256);
  if (url === undefined) {
    await requireChecksum(source, source, expected, signal);
    await useFile(source, {}, options, signal);
    return;
  }
  const file = await downloadVerified(url, expected, dataDir, { signal });
  await installDownload(file, {}, options, signal);
}

/** Uses a download, and deletes it unless it will be used again. */
async function installDownload(
  file: string,
  origin: ArchiveOrigin,
  options: BootstrapOptions,
  signal: AbortSignal,
): Promise<void> {
  await useFile(file, origin, options, signal);
  if (!signal.aborted) rmSync(file);
}

async function useFile(
  file: string,
  origin: ArchiveOrigin,
  options: BootstrapOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!isArchive(file)) return importBlocks([file], options, signal);
  const { network, dataDir } = await resolveData(options);
  const { layout } = stateOptions(options, network);
  await installArchive(file, origin, { network, dataDir, layout, json: options.json, signal });
}

/** Downloads a file into the data folder, or the rest of it, and verifies its checksum. Returns its path. */
async function downloadVerified(
  url: URL,
  expected: string,
  dataDir: string,
  options: Pick<DownloadOptions, "signal" | "maxBytes">,
): Promise<string> {
  const file = join(dataDir, `bootstrap-${expected}`);
  makeDataFolder(dataDir);
  const progress = new ProgressLine();
  const pace = new Pace();
  await download(url, file, {
    ...options,
    onProgress: (bytes, total) =>
      progress.update(`downloaded ${megabytes(bytes)} MB${pace.bytes(bytes, total)}`, total && bytes / total),
  });
  progress.done();
  try {
    await requireChecksum(url.href, file, expected, options.signal);
  } catch (error) {
    if (error instanceof CliError) rmSync(file);
    throw error;
  }
  return file;
}

/** Undefined if it is the path of a file. */
function urlOf(source: string): URL | undefined {
  return /^https?:\/\//i.test(source) && URL.canParse(source) ? new URL(source) : undefined;
}

/** Rejects with {@link CliError} `CHECKSUM`. */
async function requireChecksum(source: string, file: string, expected: string, signal: AbortSignal): Promise<void> {
  const progress = new ProgressLine();
  const { size } = statSync(file);
  const actual = await checksumOf(file, signal, (bytes) => progress.update("checksum", bytes / size));
  progress.done();
  if (actual !== expected) throw new CliError({ code: "CHECKSUM", source, expected, actual });
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
