import { existsSync } from "node:fs";
import type { NetworkConfig } from "@cambium/config";
import type { Command } from "commander";
import { withReader } from "../database.js";
import { invalid, unmet } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { integer, toggle } from "../flags/flag.js";
import { INTERRUPTED, interruptSignal } from "../interrupt.js";
import { DATA_FLAGS, resolveData } from "../options.js";
import { counted, ProgressLine, print } from "../output.js";
import { setNamedFileMode } from "../private-files.js";

const FLAGS = {
  ...DATA_FLAGS,
  from: integer("number", "first block (default: the earliest one in the database); genesis is never exported"),
  to: integer("number", "last block, inclusive (default: the best block)"),
  damaged: toggle("export what can be read of a damaged database, and list what cannot; it is not changed"),
};

/** `node-cli export`: writes best-chain blocks in the format that `import` reads. */
export function exportCommand(command: Command): void {
  command.argument("<file>", "file to write; gzip-compressed if the name ends in .gz");
  withFlags(command, FLAGS, async (options, file: string) => {
    const { network, dataDir } = await resolveData(options);
    if (options.damaged) return exportDamaged(file, network, dataDir, options);
    const { exportFile } = await import("@cambium/chain-maintenance");
    const progress = new ProgressLine();
    const signal = interruptSignal();
    const isNew = !existsSync(file);
    const count = await withReader(network, dataDir, async (chain) => {
      const best = chain.best().header.number;
      const { from = Math.min(Math.max(chain.earliestBlock(), 1), best), to = best } = options;
      requireOrder(from, to);
      if (to > best) throw invalid("--to", String(to), `at most ${best}, the number of the best block`);
      return exportFile(chain, file, {
        fromBlock: from,
        toBlock: to,
        signal,
        onProgress: (number) => progress.update(`block ${number} of ${to}`, (number - from + 1) / (to - from + 1)),
      });
    });
    if (isNew) setNamedFileMode(file);
    progress.done();
    print(`exported ${counted(count, "block")} to ${file}`);
    if (signal.aborted) process.exitCode = INTERRUPTED;
  });
}

/** Exit status 1 if a block is missing. */
async function exportDamaged(
  file: string,
  network: NetworkConfig,
  dataDir: string,
  { from = 1, to }: { from: number | undefined; to: number | undefined },
): Promise<void> {
  if (to === undefined) {
    const requires = "--to: the number of the best block may be damaged too";
    throw unmet("--damaged", requires);
  }
  requireOrder(from, to);
  const { databasePath } = await import("@cambium/database");
  const { exportReadable } = await import("@cambium/chain-maintenance");
  const progress = new ProgressLine();
  const signal = interruptSignal();
  const { count, problems, missing } = await exportReadable({
    network,
    location: databasePath(dataDir),
    path: file,
    fromBlock: from,
    toBlock: to,
    signal,
    onProgress: (number) => progress.update(`block ${number} of ${to}`, (number - from + 1) / (to - from + 1)),
  });
  progress.done();
  for (const { file, reason } of problems) print(`damaged: ${file}: ${reason}`);
  print(`exported ${counted(count, "block")} to ${file}`);
  for (const [first, last] of missing) print(first === last ? `missing: ${first}` : `missing: ${first} to ${last}`);
  if (missing.length > 0) process.exitCode = 1;
  if (signal.aborted) process.exitCode = INTERRUPTED;
}

function requireOrder(from: number, to: number): void {
  if (from <= to) return;
  throw invalid("--to", String(to), `a block number of at least ${from}, the first block to export`);
}
