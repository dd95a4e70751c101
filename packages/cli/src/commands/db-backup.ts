import { existsSync, readdirSync } from "node:fs";
import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { invalid } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import type { Values } from "../flags/flag.js";
import { DATA_FLAGS, JSON_OUTPUT, resolveData } from "../options.js";
import { print, printJson } from "../output.js";
import { makeDataFolder } from "../private-files.js";

const FLAGS = { ...DATA_FLAGS, json: JSON_OUTPUT };

type BackupOptions = Values<typeof FLAGS>;

/** `node-cli db backup` and `db restore` */
export function backupCommands(db: Command): void {
  const backupCommand = db
    .command("backup")
    .description("copy the database to a new folder and verify the copy; a node may be running")
    .argument("<folder>", "folder of the backup, which --data-dir or db restore can use; it must be empty or missing");
  withFlags(backupCommand, FLAGS, backup);
  const restoreCommand = db
    .command("restore")
    .description("replace the database by a backup, which stays unchanged; the replaced one is kept next to it")
    .argument("<folder>", "folder of the backup");
  withFlags(restoreCommand, FLAGS, restore);
}

async function backup(options: BackupOptions, folder: string): Promise<void> {
  const { network, dataDir } = await resolveData(options);
  const { backupDatabase } = await import("@cambium/chain-maintenance");
  const { databasePath } = await import("@cambium/database");
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw invalid("<folder>", folder, "an empty or new folder");
  }
  const from = databasePath(dataDir);
  makeDataFolder(folder);
  const { best } = await backupDatabase({ network, from, to: databasePath(folder) });
  if (options.json) printJson({ folder, best: { number: best.number, hash: toData(best.hash) } });
  else print(`backed up to ${folder} and verified: best block ${best.number} ${toData(best.hash)}`);
}

async function restore(options: BackupOptions, folder: string): Promise<void> {
  const { network, dataDir } = await resolveData(options);
  const { databasePath } = await import("@cambium/database");
  const { restoreDatabase } = await import("@cambium/chain-maintenance");
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
