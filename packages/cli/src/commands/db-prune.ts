import type { Command } from "commander";
import { withDatabase } from "../database.js";
import { withFlags } from "../flags/command-flags.js";
import { INTERRUPTED, interruptSignal } from "../interrupt.js";
import { DATA_FLAGS, JSON_OUTPUT, resolveData } from "../options.js";
import { ProgressLine, print, printJson } from "../output.js";
import { STATE_FLAGS, stateOptions } from "../state-options.js";

const FLAGS = {
  ...DATA_FLAGS,
  "state.history": {
    ...STATE_FLAGS["state.history"],
    help: "number of latest blocks whose states remain readable, at least 10000 (default: all, on main 90000)",
  },
  json: JSON_OUTPUT,
};

/** `node-cli db prune` */
export function pruneCommand(db: Command): void {
  const command = db.command("prune").description("shorten the history of states, and free the space");
  withFlags(command, FLAGS, async (options) => {
    const { network, dataDir } = await resolveData(options);
    const { history } = stateOptions(options, network);
    const { databasePath } = await import("@cambium/database");
    const { pruneHistory } = await import("@cambium/chain-maintenance");
    const { TABLES } = await import("@cambium/chain-store");
    const { compactTables, databaseSize } = await import("@cambium/database");
    const location = databasePath(dataDir);
    const progress = new ProgressLine();
    const signal = interruptSignal();
    const onProgress = (oldest: number, target: number) =>
      progress.update(`history up to ${oldest} of ${target} deleted`, oldest / target);
    const { oldestState, before } = await withDatabase(dataDir, async (database) => {
      const before = bytesOf(databaseSize(location));
      const flatState = { history };
      return { ...(await pruneHistory({ network, database, flatState, onProgress, signal })), before };
    });
    progress.update("freeing space");
    const { stateDiffs, sideDiffs, flatState } = TABLES;
    if (!signal.aborted) await compactTables(location, [stateDiffs, sideDiffs, flatState]);
    progress.done();
    const freedBytes = before - bytesOf(databaseSize(location));
    if (options.json) printJson({ oldestState, freedBytes });
    else print(`states from block ${oldestState} on are readable; ${(freedBytes / 1e6).toFixed(1)} MB freed`);
    if (signal.aborted) process.exitCode = INTERRUPTED;
  });
}

function bytesOf({ logs, tables }: { logs: number; tables: number }): number {
  return logs + tables;
}
