import type { ThreadedChain } from "@cambium/chain";
import type { ImportProgress, ImportSummary, RejectedLine } from "@cambium/chain-maintenance";
import type { NetworkConfig } from "@cambium/config";
import type { StateOptions } from "@cambium/node/options";
import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { withNewDatabase, withThreadedChain } from "../database.js";
import { CliError } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { integer, text, type Values } from "../flags/flag.js";
import { INTERRUPTED, interruptSignal } from "../interrupt.js";
import { DATA_FLAGS, JSON_OUTPUT, requireFile, resolveData } from "../options.js";
import { counted, fileName, formatDuration, ProgressLine, print, printJson } from "../output.js";
import { STATE_FLAGS, stateOptions } from "../state-options.js";

/** Flags of commands that import blocks. */
export const IMPORT_FLAGS = {
  ...DATA_FLAGS,
  "max-rejected": integer("number", "stop after this many rejected blocks or lines", { default: "100", min: 1 }),
  ...STATE_FLAGS,
  json: JSON_OUTPUT,
};

const FLAGS = {
  "from-rskj": text(
    "folder",
    "import the best chain in the database folder of rskj instead, up to the first difference; stop rskj first",
    { conflicts: "max-rejected" },
  ),
  ...IMPORT_FLAGS,
};

type ImportOptions = Values<typeof IMPORT_FLAGS>;

/**
 * `node-cli import FILE…`: one block per line, `number,hash,totalDifficulty,rlp`. The import continues after a rejected
 * line, and the command fails at its end. `node-cli import --from-rskj DIR` ends at the first block that is rejected.
 */
export function importCommand(command: Command): void {
  command.argument(
    "[file...]",
    "files with one block per line: number,hash,totalDifficulty,rlp; plain text, gzip or zstd; - is standard input",
  );
  withFlags(command, FLAGS, async (options, files: string[]) => {
    const folder = options["from-rskj"];
    if (files.length > 0 === (folder !== undefined)) command.error("error: expected either files or --from-rskj");
    if (folder !== undefined) return importFromRskj(folder, options, interruptSignal());
    for (const file of files) if (file !== "-") requireFile(file);
    await importBlocks(files, options, interruptSignal());
  });
}

/** Imports files, prints the result and sets the exit status. */
export async function importBlocks(
  files: readonly string[],
  options: ImportOptions,
  signal: AbortSignal,
): Promise<void> {
  const maxRejected = options["max-rejected"];
  const { importFiles } = await import("@cambium/chain-maintenance");
  const summary = await runImport(options, (chain, _, progress) =>
    importFiles(chain, files, { signal, maxRejected, onProgress: shownBy(progress) }),
  );
  report(summary, options, runsOf(summary.rejected).map(runText));
}

/**
 * Imports the database of the deployed client up to the first difference, prints the result and sets the exit status.
 */
async function importFromRskj(folder: string, options: ImportOptions, signal: AbortSignal): Promise<void> {
  const { importSources } = await import("@cambium/chain-maintenance");
  const { withRskjSource } = await import("../rskj-blocks/rskj-source.js");
  try {
    const summary = await runImport(options, (chain, dataDir, progress) => {
      const onProgress = (text: string, share: number) => progress.update(text, share);
      return withRskjSource(chain, { folder, dataDir, signal, onProgress }, (source) =>
        importSources(chain, [source], { signal, maxRejected: 1, onProgress: shownBy(progress) }),
      );
    });
    // Blocks that were in flight lack their parent.
    const rejected = summary.rejected.slice(0, 1);
    const upToDifference = { ...summary, rejected, rejectedCount: rejected.length, tooManyRejected: false };
    report(upToDifference, options, rejected.map(differenceText));
  } catch (error) {
    if (!signal.aborted) throw error;
    print("interrupted; run the same command again to continue");
    process.exitCode = INTERRUPTED;
  }
}

async function runImport(
  options: ImportOptions,
  importInto: (chain: ThreadedChain, dataDir: string, progress: ProgressLine) => Promise<ImportSummary>,
): Promise<ImportSummary> {
  const { network, dataDir } = await resolveData(options);
  const progress = new ProgressLine();
  const state = stateOptions(options, network);
  await requireNoSnapshot(network, dataDir, state.layout);
  const summary = await withThreadedChain(network, dataDir, state, (chain) => importInto(chain, dataDir, progress));
  progress.done();
  return summary;
}

function shownBy(progress: ProgressLine): (state: ImportProgress) => void {
  return (state) => progress.update(progressText(state), state.fractionRead);
}

/** `rejected` describes the rejected blocks. */
function report(summary: ImportSummary, options: ImportOptions, rejected: readonly string[]): void {
  if (options.json) printJson(summaryJson(summary));
  else printSummary(summary, rejected);
  if (summary.rejectedCount > 0) process.exitCode = 1;
  if (summary.interrupted) process.exitCode = INTERRUPTED;
}

/** Throws if a snapshot is being installed: in the flat layout, opening the chain would end the installation. */
async function requireNoSnapshot(
  network: NetworkConfig,
  dataDir: string,
  stateLayout: StateOptions["layout"],
): Promise<void> {
  const { SnapshotInstaller } = await import("@cambium/chain");
  const block = await withNewDatabase(dataDir, async (database) => {
    const { isPossible, progress } = await SnapshotInstaller.open({ network, database, stateLayout });
    return isPossible ? progress?.checkpoint.number : undefined;
  });
  if (block !== undefined) throw new CliError({ code: "SNAPSHOT_UNFINISHED", block });
}

function progressText({ bestNumber, seconds, blocksPerSecond, mgasPerSecond, ...read }: ImportProgress): string {
  const { bytesRead, fractionRead } = read;
  const left = fractionRead ? `, ${formatDuration((seconds / fractionRead) * (1 - fractionRead))} left` : "";
  const part = fractionRead === undefined ? `, ${(bytesRead / 1e6).toFixed(1)} MB read` : left;
  const speed = `${blocksPerSecond.toFixed(0)} blocks/s, ${mgasPerSecond.toFixed(1)} Mgas/s`;
  return `block ${bestNumber}, ${speed}${part}`;
}

function summaryJson({ rejected, best, interrupted: _interrupted, ...rest }: ImportSummary): object {
  return {
    ...rest,
    rejected: rejected.map(rejectedJson),
    best: { ...best, hash: toData(best.hash), stateRoot: toData(best.stateRoot) },
  };
}

function rejectedJson({ number, hash, code, file, line, reason }: RejectedLine): object {
  return { number, hash: hash === null ? null : toData(hash), code, file, line, reason };
}

/**
 * Returns runs of rejected lines that follow one another in a file for the same reason: all blocks after a missing one
 * lack a parent.
 */
function runsOf(rejected: readonly RejectedLine[]): RejectedLine[][] {
  const runs: RejectedLine[][] = [];
  for (const line of rejected) {
    const last = runs.at(-1)?.at(-1);
    const continues =
      last?.code === "MISSING_PARENT" &&
      line.code === last.code &&
      line.file === last.file &&
      line.line === last.line + 1;
    if (continues) runs.at(-1)!.push(line);
    else runs.push([line]);
  }
  return runs;
}

function runText(run: readonly RejectedLine[]): string {
  const [{ file, line, number, code, reason }, last] = [run[0]!, run.at(-1)!];
  const place = `${fileName(file)}:${line}${run.length > 1 ? `-${last.line}` : ""}`;
  const block = run.length > 1 ? ` (blocks ${number} to ${last.number})` : number === null ? "" : ` (block ${number})`;
  return `rejected ${place}${block}: ${code}: ${reason}`;
}

/** The place of a block in a database is its number. */
function differenceText({ line, hash, code, reason }: RejectedLine): string {
  return `first difference: block ${line}${hash === null ? "" : ` ${toData(hash)}`}: ${code}: ${reason}`;
}

function printSummary(summary: ImportSummary, described: readonly string[]): void {
  const { imported, side, known, rejected, rejectedCount, best, ...rates } = summary;
  for (const line of described) print(line);
  const undescribed = rejectedCount - rejected.length;
  if (undescribed > 0) print(`${counted(undescribed, "more line")} rejected`);
  print(
    `${imported} imported, ${side} on side chains, ${known} already known, ${rejectedCount} rejected ` +
      `in ${formatDuration(rates.seconds)}`,
  );
  print(`${rates.blocksPerSecond.toFixed(1)} blocks/s, ${rates.mgasPerSecond.toFixed(1)} Mgas/s`);
  print(`best block ${best.number} ${toData(best.hash)}, total difficulty ${best.totalDifficulty}`);
  if (rates.tooManyRejected)
    print(`stopped, because ${rejectedCount} lines were rejected; continue in spite of them with --max-rejected`);
  if (rates.interrupted) print("interrupted; run the same command again to continue");
}
