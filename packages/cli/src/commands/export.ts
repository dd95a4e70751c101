import { exportFile } from "@cambium/chain";
import type { Command } from "commander";
import { interruptSignal, withChain } from "../database.js";
import { CliError } from "../errors.js";
import { dataDirOption, networkOption, parseNumber, resolveDataDir, resolveNetwork } from "../options.js";
import { ProgressLine, print } from "../output.js";

interface ExportOptions {
  network: string;
  dataDir?: string;
  from: string;
  to: string;
}

/** `node-cli export`: blocks of the best chain, in the format that `import` reads. */
export function exportCommand(program: Command): void {
  program
    .command("export")
    .description("write blocks of the best chain to a file that import reads")
    .argument("<file>", "file to write; compressed when its name ends in .gz")
    .addOption(networkOption())
    .addOption(dataDirOption())
    .requiredOption("--from <number>", "first block; genesis is never written")
    .requiredOption("--to <number>", "last block")
    .action(async (file: string, options: ExportOptions) => {
      const network = resolveNetwork(options.network);
      const [from, to] = [parseNumber("--from", options.from), parseNumber("--to", options.to)];
      if (from > to)
        throw new CliError({ code: "INVALID_OPTION", option: "--to", expected: `a block from ${from} on` });
      const progress = new ProgressLine();
      const signal = interruptSignal();
      const count = await withChain(network, resolveDataDir(options.dataDir, network), "existing", async (chain) => {
        const best = chain.best().header.number;
        if (to > best)
          throw new CliError({ code: "INVALID_OPTION", option: "--to", expected: `at most ${best}, the best block` });
        return exportFile(chain, file, {
          fromBlock: from,
          toBlock: to,
          signal,
          onProgress: (number) => progress.update(`block ${number} of ${to}`),
        });
      });
      progress.done();
      print(`${count} blocks written to ${file}`);
      if (signal.aborted) process.exitCode = 130;
    });
}
