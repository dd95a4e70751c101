import type { MigrationStep } from "@cambium/chain";
import type { Command } from "commander";
import { withDatabase } from "../database.js";
import { INTERRUPTED, interruptSignal } from "../interrupt.js";
import { dataDirOption, jsonOption, networkOption, resolveDataDir, resolveNetwork } from "../options.js";
import { ProgressLine, print, printJson } from "../output.js";
import { type StateFlags, stateOptions } from "../state-options.js";

interface MigrateOptions extends StateFlags {
  network: string;
  dataDir?: string;
  json?: boolean;
}

/** `node-cli db migrate` */
export function migrateCommand(db: Command): void {
  db.command("migrate")
    .description("convert a database of an earlier release, or one with the state tries of all blocks")
    .addOption(networkOption())
    .addOption(dataDirOption())
    .option("--state.archive", "keep the state tries of all blocks, and convert the rest only")
    .option(
      "--state.history <blocks>",
      "number of latest blocks whose states remain readable, or all (default: all, on main 90000)",
    )
    .addOption(jsonOption())
    .action(async (options: MigrateOptions) => {
      const network = await resolveNetwork(options.network);
      const { layout = "flat", history } = stateOptions(options, network);
      const dataDir = resolveDataDir(options.dataDir, network);
      const { databasePath, migrateDatabase, TABLES } = await import("@cambium/chain");
      const { compactTables } = await import("@cambium/database");
      const progress = new ProgressLine();
      const signal = interruptSignal();
      const result = await withDatabase(dataDir, (database) =>
        migrateDatabase({
          network,
          database,
          to: layout,
          flatState: { history },
          onProgress: (step, done, total) => progress.update(progressText(step, done, total), total && done / total),
          signal,
        }),
      );
      if (result.isComplete && layout === "flat") {
        progress.update("freeing space");
        await compactTables(databasePath(dataDir), [TABLES.stateNodes, TABLES.trieNodes]);
      }
      progress.done();
      if (options.json) printJson(result);
      else if (!result.isComplete) print("interrupted; the same command continues");
      else print(`${result.layout} layout: states from block ${result.oldestState} on are readable`);
      if (!result.isComplete) process.exitCode = INTERRUPTED;
    });
}

function progressText(step: MigrationStep, done: number, total: number | undefined): string {
  switch (step) {
    case "values":
      return `${done} values of the state copied`;
    case "blocks":
      return `changes of ${done} of ${total} blocks copied`;
    case "removed":
      return `${done} nodes of old tries removed`;
    case "packed":
      return `${done} parts of the trie packed`;
  }
}
