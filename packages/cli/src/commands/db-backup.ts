import { existsSync, readdirSync } from "node:fs";
import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { CliError } from "../errors.js";
import { dataDirOption, jsonOption, networkOption, resolveDataDir, resolveNetwork } from "../options.js";
import { print, printJson } from "../output.js";
import { makeDataFolder } from "../private-files.js";

interface BackupOptions {
  network: string;
  dataDir?: string;
  json?: boolean;
}

/** `node-cli db backup` and `db restore` */
export function backupCommands(db: Command): void {
  db.command("backup")
    .description("copy the database to a new folder and verify the copy; a node may be running")
    .argument("<folder>", "folder of the backup, which --data-dir or db restore can use; it must be empty or missing")
    .addOption(networkOption())
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .action(backup);
  db.command("restore")
    .description("replace the database by a backup, which stays as it is; the replaced one is kept beside it")
    .argument("<folder>", "folder of the backup")
    .addOption(networkOption())
    .addOption(dataDirOption())
    .addOption(jsonOption())
    .action(restore);
}

async function backup(folder: string, options: BackupOptions): Promise<void> {
  const network = await resolveNetwork(options.network);
  const { backupDatabase } = await import("@cambium/chain-maintenance");
  const { databasePath } = await import("@cambium/database");
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new CliError({
      code: "INVALID_OPTION",
      option: "<folder>",
      value: folder,
      expected: "an empty or new folder",
    });
  }
  const from = databasePath(resolveDataDir(options.dataDir, network));
  makeDataFolder(folder);
  const { best } = await backupDatabase({ network, from, to: databasePath(folder) });
  if (options.json) printJson({ folder, best: { number: best.number, hash: toData(best.hash) } });
  else print(`backed up to ${folder} and verified: best block ${best.number} ${toData(best.hash)}`);
}

async function restore(folder: string, options: BackupOptions): Promise<void> {
  const network = await resolveNetwork(options.network);
  const { databasePath } = await import("@cambium/database");
  const { restoreDatabase } = await import("@cambium/chain-maintenance");
  const dataDir = resolveDataDir(options.dataDir, network);
  makeDataFolder(dataDir);
  const paths = { from: databasePath(folder), to: databasePath(dataDir) };
  const { best, replaced } = await restoreDatabase({ network, ...paths });
  if (options.json) {
    printJson({ best: { number: best.number, hash: toData(best.hash) }, replaced: replaced ?? null });
    return;
  }
  print(
    `restored and verified: best block ${best.number} ${toData(best.hash)}; later blocks are downloaded or imported again`,
  );
  if (replaced !== undefined) print(`the previous database is in ${replaced}; delete it if you do not need it`);
}
