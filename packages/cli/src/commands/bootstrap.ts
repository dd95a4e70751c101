import { rmSync } from "node:fs";
import type { InstalledState } from "@cambium/chain-maintenance";
import type { Command } from "commander";
import { expectedChecksum } from "../download/checksum.js";
import { CliError } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { text, type Values } from "../flags/flag.js";
import { INTERRUPTED, interruptSignal } from "../interrupt.js";
import { requireFile, resolveData } from "../options.js";
import { ProgressLine, print, printJson } from "../output.js";
import {
  type ArchiveOrigin,
  hasChain,
  type InstallOptions,
  installArchive,
  isArchive,
  resultOf,
  textOf,
} from "../published/install-archive.js";
import { SITE_FLAGS } from "../published/site-flags.js";
import { stateOptions } from "../state-options.js";
import { EXPORT_FLAGS, exportState } from "./bootstrap-export.js";
import { IMPORT_FLAGS, importBlocks } from "./import.js";

const FLAGS = {
  sha256: text("hex", "SHA-256 of the file (default: in the .sha256 file next to it; required for http)"),
  ...SITE_FLAGS,
  ...IMPORT_FLAGS,
  ...EXPORT_FLAGS,
};

/** Maximum size of a file at a URL, in bytes: several times all blocks of main. */
const MAX_FILE = 2 ** 38;

type BootstrapOptions = Values<typeof FLAGS>;

/**
 * `node-cli bootstrap`: downloads, verifies and installs the published state of the network. `node-cli bootstrap
 * URL|FILE` does so with an archive, or imports a block file, after its checksum is verified. `node-cli bootstrap export
 * FOLDER` publishes.
 */
export function bootstrapCommand(command: Command): void {
  command
    .argument(
      "[url|file]",
      "address (https or http) or path of an archive of published state, or of a block file; export publishes the state of this node",
    )
    .argument("[folder]", "with export: folder to serve as the address below which state is published");
  withFlags(command, FLAGS, async (options, source: string | undefined, folder: string | undefined) => {
    if ((source === "export") !== (folder !== undefined)) command.error("error: expected a folder after export only");
    if (folder !== undefined) return exportState(folder, options);
    const signal = interruptSignal();
    try {
      await (source === undefined ? bootstrapNetwork(options, signal) : bootstrapFile(source, options, signal));
    } catch (error) {
      if (!signal.aborted) throw error;
      print("interrupted; run the same command again to continue");
    }
    if (signal.aborted) process.exitCode = INTERRUPTED;
  });
}

/** Installs the newest archive that the signers agree on. */
async function bootstrapNetwork(options: BootstrapOptions, signal: AbortSignal): Promise<void> {
  const { publishedStateOf } = await import("../published/published-site.js");
  const { bootstrapPublished } = await import("../published/bootstrap-published.js");
  const target = await targetOf(options, signal);
  const site = publishedStateOf(target.network, options);
  if (await hasChain(target)) throw new CliError({ code: "CHAIN_EXISTS", dataDir: target.dataDir });
  const { installed, origin } = await bootstrapPublished(site, target);
  report(installed, origin, options);
}

async function bootstrapFile(source: string, options: BootstrapOptions, signal: AbortSignal): Promise<void> {
  const target = await targetOf(options, signal);
  const { downloadVerified, requireChecksum, whileLocked } = await import("../published/bootstrap-published.js");
  const url = urlOf(source);
  if (url === undefined) requireFile(source);
  const expected = await expectedChecksum(url ?? source, options.sha256);
  if (url === undefined) {
    await requireChecksum(source, source, expected, target);
    await useFile(source, options, target);
    return;
  }
  const { dataDir, progress } = target;
  const limits = { progress, signal, maxBytes: MAX_FILE };
  const file = await whileLocked(dataDir, () => downloadVerified(url, expected, dataDir, limits));
  await useFile(file, options, target);
  if (!signal.aborted) rmSync(file);
}

async function useFile(file: string, options: BootstrapOptions, target: InstallOptions): Promise<void> {
  if (isArchive(file)) report(await installArchive(file, {}, target), {}, options);
  else await importBlocks([file], options, target.signal);
}

/** Returns the target of the installation, with a progress line. */
async function targetOf(options: BootstrapOptions, signal: AbortSignal): Promise<InstallOptions> {
  const { network, dataDir } = await resolveData(options);
  const { layout } = stateOptions(options, network);
  return { network, dataDir, layout, progress: new ProgressLine(), signal };
}

function report(installed: InstalledState, origin: ArchiveOrigin, { json }: BootstrapOptions): void {
  if (json) printJson(resultOf(installed, origin));
  else print(`${textOf(installed, origin)}\ncontinue with node-cli start`);
}

/** Undefined if it is the path of a file. */
function urlOf(source: string): URL | undefined {
  return /^https?:\/\//i.test(source) && URL.canParse(source) ? new URL(source) : undefined;
}
