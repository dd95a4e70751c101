import type { PruneBlocksOptions } from "@cambium/chain-maintenance";
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
  "history.blocks": STATE_FLAGS["history.blocks"],
  json: JSON_OUTPUT,
};

/** `node-cli db prune` */
export function pruneCommand(db: Command): void {
  const command = db
    .command("prune")
    .description("shorten the history of states, drop old blocks if --history.blocks is given, and free the space");
  withFlags(command, FLAGS, async (options) => {
    const { network, dataDir } = await resolveData(options);
    const { history, blocks } = stateOptions(options, network);
    const { compactTables, databasePath, databaseSize } = await import("@cambium/database");
    const { TABLES } = await import("@cambium/chain-store");
    const { pruneHistory, storedRange } = await import("@cambium/chain-maintenance");
    const location = databasePath(dataDir);
    const progress = new ProgressLine();
    const signal = interruptSignal();
    const before = bytesOf(databaseSize(location));
    const { oldestState, oldestBlock } = await withDatabase(dataDir, async (database) => {
      const parts = { network, database, signal };
      if (blocks !== undefined) await dropBlocks({ ...parts, blockHistory: { blocks } }, progress);
      const range = storedRange(database);
      // The archive layout has no history of states to shorten.
      if (blocks !== undefined && range.layout === "archive") return range;
      const onProgress = (oldest: number, target: number) =>
        progress.update(`history up to ${oldest} of ${target} deleted`, oldest / target);
      return pruneHistory({ ...parts, flatState: { history }, onProgress });
    });
    progress.update("freeing space");
    const { stateDiffs, sideDiffs, flatState } = TABLES;
    const { transactions, senders, uncles, receipts, transactionIndex, logChunks, logSpans } = TABLES;
    const ofBlocks =
      blocks === undefined ? [] : [transactions, senders, uncles, receipts, transactionIndex, logChunks, logSpans];
    if (!signal.aborted) await compactTables(location, [stateDiffs, sideDiffs, flatState, ...ofBlocks]);
    progress.done();
    const freedBytes = before - bytesOf(databaseSize(location));
    if (options.json) printJson({ oldestState, oldestBlock, freedBytes });
    else {
      if (blocks !== undefined) print(blocksText(oldestBlock));
      print(`states from block ${oldestState} on are readable; ${(freedBytes / 1e6).toFixed(1)} MB freed`);
    }
    if (signal.aborted) process.exitCode = INTERRUPTED;
  });
}

async function dropBlocks(options: PruneBlocksOptions, progress: ProgressLine): Promise<void> {
  const { pruneBlocks } = await import("@cambium/chain-maintenance");
  const onProgress = (oldest: number, target: number) =>
    progress.update(`blocks up to ${oldest} of ${target} dropped`, oldest / target);
  await pruneBlocks({ ...options, onProgress });
}

/** Range of the blocks in a database, in words. */
export function blocksText(oldest: number): string {
  return oldest <= 1 ? "all blocks are stored" : `blocks from ${oldest} on are stored`;
}

function bytesOf({ logs, tables }: { logs: number; tables: number }): number {
  return logs + tables;
}
