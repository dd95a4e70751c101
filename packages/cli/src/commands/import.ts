import { existsSync } from "node:fs";
import type { ImportProgress, ImportSummary, RejectedLine } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { withReader, withThreadedChain } from "../database.js";
import { CliError } from "../errors.js";
import { INTERRUPTED, interruptSignal } from "../interrupt.js";
import { dataDirOption, jsonOption, networkOption, requireFile, resolveDataDir, resolveNetwork } from "../options.js";
import { counted, formatDuration, ProgressLine, print, printJson } from "../output.js";
import { addStateOptions, type StateFlags, stateOptions } from "../state-options.js";

interface ImportOptions extends StateFlags {
  network: string;
  dataDir?: string;
  json?: boolean;
}

/** `node-cli import FILE…`: one block per line, `number,hash,totalDifficulty,rlp`. A rejected line does not end the import. */
export function importCommand(program: Command): void {
  const command = program
    .command("import")
    .description("import blocks from files; safe to interrupt and repeat")
    .argument("<file...>", "files with one block per line: number,hash,totalDifficulty,rlp; plain text or .gz")
    .addOption(networkOption())
    .addOption(dataDirOption());
  addStateOptions(command)
    .addOption(jsonOption())
    .action(async (files: string[], options: ImportOptions) => {
      const network = await resolveNetwork(options.network);
      for (const file of files) requireFile(file);
      const { importFiles } = await import("@cambium/chain");
      const dataDir = resolveDataDir(options.dataDir, network);
      const progress = new ProgressLine();
      await requireNoSnapshot(network, dataDir);
      const summary = await withThreadedChain(network, dataDir, stateOptions(options, network), (chain) =>
        importFiles(chain, files, {
          signal: interruptSignal(),
          onProgress: (state) => progress.update(progressText(state), state.fractionRead),
        }),
      );
      progress.done();
      if (options.json) printJson(summaryJson(summary));
      else printSummary(summary);
      if (summary.interrupted) process.exitCode = INTERRUPTED;
    });
}

/** In the flat layout, opening the chain ends the installation of a snapshot. */
async function requireNoSnapshot(network: NetworkConfig, dataDir: string): Promise<void> {
  const { databasePath } = await import("@cambium/chain");
  if (!existsSync(databasePath(dataDir))) return;
  const block = await withReader(network, dataDir, async (chain) => chain.unfinishedSnapshot());
  if (block !== undefined) throw new CliError({ code: "SNAPSHOT_UNFINISHED", block });
}

function progressText({ bestNumber, seconds, blocksPerSecond, mgasPerSecond, fractionRead }: ImportProgress): string {
  const left = fractionRead > 0 ? formatDuration((seconds / fractionRead) * (1 - fractionRead)) : "unknown";
  const speed = `${blocksPerSecond.toFixed(0)} blocks/s, ${mgasPerSecond.toFixed(1)} Mgas/s`;
  return `block ${bestNumber}, ${speed}, ${left} left`;
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

function printSummary({ imported, side, known, rejected, rejectedCount, best, ...rates }: ImportSummary): void {
  for (const { file, line, number, code, reason } of rejected) {
    print(`rejected ${file}:${line}${number === null ? "" : ` (block ${number})`}: ${code}: ${reason}`);
  }
  const undescribed = rejectedCount - rejected.length;
  if (undescribed > 0) print(`${counted(undescribed, "more line")} rejected`);
  print(
    `${imported} imported, ${side} on side chains, ${known} already known, ${rejectedCount} rejected ` +
      `in ${formatDuration(rates.seconds)}`,
  );
  print(`${rates.blocksPerSecond.toFixed(1)} blocks/s, ${rates.mgasPerSecond.toFixed(1)} Mgas/s`);
  print(`best block ${best.number} ${toData(best.hash)}, total difficulty ${best.totalDifficulty}`);
  if (rates.interrupted) print("interrupted; run the same command again to continue");
}
