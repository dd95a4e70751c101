import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { checksumOf, expectedChecksum } from "../download/checksum.js";
import { download } from "../download/download.js";
import { CliError } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { text, type Values } from "../flags/flag.js";
import { INTERRUPTED, interruptSignal } from "../interrupt.js";
import { requireFile, resolveData } from "../options.js";
import { ProgressLine, print } from "../output.js";
import { makeDataFolder } from "../private-files.js";
import { IMPORT_FLAGS, importBlocks } from "./import.js";

const FLAGS = {
  sha256: text("hex", "SHA-256 of the file (default: in the .sha256 file beside it; required for http)"),
  ...IMPORT_FLAGS,
};

type BootstrapOptions = Values<typeof FLAGS>;

/** `node-cli bootstrap URL|FILE`: imports a published block file, after its checksum is verified. */
export function bootstrapCommand(program: Command): void {
  const command = program
    .command("bootstrap")
    .description("download a published block file, verify its checksum and import it; safe to interrupt and repeat")
    .argument("<url|file>", "address of a block file (https or http), or a file");
  withFlags(command, FLAGS, async (options, source: string) => {
    const signal = interruptSignal();
    try {
      await bootstrap(source, options, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      print("interrupted; run the same command again to continue");
    }
    if (signal.aborted) process.exitCode = INTERRUPTED;
  });
}

async function bootstrap(source: string, options: BootstrapOptions, signal: AbortSignal): Promise<void> {
  const { dataDir } = await resolveData(options);
  const url = urlOf(source);
  if (url === undefined) requireFile(source);
  const expected = await expectedChecksum(url ?? source, options.sha256);
  if (url === undefined) {
    await requireChecksum(source, source, expected, signal);
    await importBlocks([source], options, signal);
    return;
  }
  const file = join(dataDir, `bootstrap-${expected}`);
  makeDataFolder(dataDir);
  const progress = new ProgressLine();
  await download(url, file, {
    signal,
    onProgress: (bytes, total) => progress.update(`downloaded ${megabytes(bytes)} MB`, total && bytes / total),
  });
  progress.done();
  try {
    await requireChecksum(source, file, expected, signal);
  } catch (error) {
    if (error instanceof CliError) rmSync(file);
    throw error;
  }
  await importBlocks([file], options, signal);
  if (!signal.aborted) rmSync(file);
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
