import type {
  DatabaseCheckResult,
  DatabaseProblem,
  RepairResult,
  RepairStep,
  SnapshotGaps,
  StoredRange,
} from "@cambium/chain-maintenance";
import { knownBlocks, type NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import { toData } from "@cambium/primitives";
import type { Command } from "commander";
import { withChain, withDatabase } from "../database.js";
import { withFlags } from "../flags/command-flags.js";
import { integer, toggle } from "../flags/flag.js";
import { INTERRUPTED, interruptSignal } from "../interrupt.js";
import { DATA_FLAGS, JSON_OUTPUT, resolveData } from "../options.js";
import { counted, ProgressLine, print, printJson } from "../output.js";
import { writePrivately } from "../private-files.js";
import { backupCommands } from "./db-backup.js";
import { blocksText, pruneCommand } from "./db-prune.js";

const FLAGS = { ...DATA_FLAGS, json: JSON_OUTPUT };

const CHECK_FLAGS = {
  ...FLAGS,
  deep: toggle("also read every table file, and every trie node and value of every block's state"),
  known: toggle("only compare the best chain with blocks of main that are known", { conflicts: "deep" }),
};

const REWIND_FLAGS = {
  ...FLAGS,
  to: integer("number", "the block that becomes the best one", { isRequired: true }),
};

/** `node-cli db`: maintenance of a database that no node has open, except for `backup`. */
export function dbCommand(db: Command): void {
  checkCommand(db);
  repairCommand(db);
  rewindCommand(db);
  statsCommand(db);
  pruneCommand(db);
  backupCommands(db);
}

/** Exit status 1 if anything is missing or damaged, or differs from a known block. */
function checkCommand(db: Command): void {
  const command = db
    .command("check")
    .description("check the database for missing blocks, receipts, index entries and state nodes");
  withFlags(command, CHECK_FLAGS, async (options) => {
    const { network, dataDir } = await resolveData(options);
    if (options.known) return checkKnown(network, dataDir, options.json);
    const { checkDatabase } = await import("@cambium/chain-maintenance");
    const { openReader } = await import("@cambium/chain");
    const progress = new ProgressLine();
    const check = async (database: Database) => {
      // Side-chain blocks and a state at the end make it a little more.
      const total = openReader({ network, database }).best().header.number + 1;
      return checkDatabase(database, network, {
        deep: options.deep,
        onProgress: (blocks) => progress.update(`${counted(blocks, "block")} checked`, Math.min(blocks / total, 1)),
      });
    };
    const result = await withDatabase(dataDir, check, { verify: options.deep ? "all" : "newest" });
    progress.done();
    if (options.json) printJson({ ...result, problems: result.problems.map(problemJson) });
    else printResult(result);
    if (result.problems.length > 0) process.exitCode = 1;
  });
}

async function checkKnown(network: NetworkConfig, dataDir: string, json: boolean): Promise<void> {
  const { compareKnownBlocks } = await import("@cambium/chain-maintenance");
  const result = await withDatabase(dataDir, async (database) =>
    compareKnownBlocks(database, network, knownBlocks(network)),
  );
  if (json) printJson(result);
  else {
    for (const { number, what, expected, found } of result.differences) {
      print(`block ${number}: ${what} ${found}, expected ${expected}`);
    }
    const verdict =
      result.differences.length === 0 ? "no differences" : counted(result.differences.length, "difference");
    print(`compared ${counted(result.compared, "known block")}, ${result.skipped} not stored: ${verdict}`);
  }
  if (result.differences.length > 0) process.exitCode = 1;
}

function repairCommand(db: Command): void {
  const command = db
    .command("repair")
    .description("bring back the longest complete chain of a damaged database; the damaged one is kept next to it");
  withFlags(command, FLAGS, async (options) => {
    const { network, dataDir } = await resolveData(options);
    const { databasePath } = await import("@cambium/database");
    const { repairDatabase } = await import("@cambium/chain-maintenance");
    const progress = new ProgressLine();
    writePrivately(dataDir);
    const result = await repairDatabase({
      network,
      location: databasePath(dataDir),
      onProgress: (step, done, total) =>
        progress.update(
          `${REPAIR_STEPS[step]}: ${done}${total > 0 ? ` of ${total}` : ""}`,
          total > 0 ? done / total : undefined,
        ),
      onDecision: (text) => progress.note(text),
    });
    progress.done();
    if (options.json) printJson({ ...result, best: { ...result.best, hash: toData(result.best.hash) } });
    else printRepair(result, network.fork !== undefined);
  });
}

const REPAIR_STEPS: Readonly<Record<RepairStep, string>> = {
  checking: "checking blocks",
  indexing: "indexing blocks",
  senders: "recovering senders, blocks",
  executing: "executing stored blocks, those that are complete are skipped",
  history: "verifying the history of states, blocks",
  values: "comparing values with the trie",
  trie: "building the trie, values",
};

function printRepair({ problems, replaced, before, best, executed, deleted }: RepairResult, isFork: boolean): void {
  for (const { file, reason } of problems) print(`damaged: ${file}: ${reason}`);
  if (replaced === undefined) {
    print(`nothing to repair: best block ${best.number} ${toData(best.hash)}`);
    return;
  }
  if (executed > 0) print(`${counted(executed, "block")} executed again, because results were missing`);
  if (deleted > 0) print(`${counted(deleted, "block")} deleted, because of missing data in them or their ancestors`);
  const previous = before === undefined ? "unknown before" : `${before} before`;
  const later = isFork ? "later blocks of the fork are lost" : "later blocks are downloaded or imported again";
  print(`best block ${best.number} ${toData(best.hash)} (${previous}); ${later}`);
  print(`the damaged database is in ${replaced}; delete it if you do not need it`);
}

function rewindCommand(db: Command): void {
  const command = db
    .command("rewind")
    .description("make an earlier block the best block and delete all blocks above it");
  withFlags(command, REWIND_FLAGS, async (options) => {
    const { network, dataDir } = await resolveData(options);
    const { to } = options;
    const { rewindDatabase } = await import("@cambium/chain-maintenance");
    const progress = new ProgressLine();
    const signal = interruptSignal();
    const best = await withChain(network, dataDir, async (chain) => {
      const onProgress = (number: number) => progress.update(`best block ${number}, rewinding to ${to}`);
      await rewindDatabase(chain, to, { onProgress, signal });
      return chain.best();
    });
    progress.done();
    if (options.json) printJson({ best: { number: best.header.number, hash: toData(best.hash) } });
    else print(`best block ${best.header.number} ${toData(best.hash)}`);
    if (signal.aborted) process.exitCode = INTERRUPTED;
  });
}

function statsCommand(db: Command): void {
  const command = db.command("stats").description("show what takes how much space");
  withFlags(command, FLAGS, async (options) => {
    const { network, dataDir } = await resolveData(options);
    const { databasePath } = await import("@cambium/database");
    const { openReader } = await import("@cambium/chain");
    const { storedRange } = await import("@cambium/chain-maintenance");
    const { TABLES } = await import("@cambium/chain-store");
    const { tableSizes } = await import("@cambium/database");
    const { best, states } = await withDatabase(dataDir, async (database) => {
      const { header } = openReader({ network, database }).best();
      return { best: { number: header.number, hash: toData(header.hash) }, states: storedRange(database) };
    });
    const sizes = await tableSizes(databasePath(dataDir), Object.values(TABLES));
    const tables = Object.fromEntries(Object.keys(TABLES).map((name, i) => [name, sizes[i]!]));
    if (options.json) printJson({ best, states, tables });
    else {
      print(`best block ${best.number}`);
      print(blocksText(states.oldestBlock));
      print(statesText(states));
      printTables(best.number, tables);
    }
  });
}

function statesText({ layout, oldestState, trieBlock }: StoredRange): string {
  const range = `states from block ${oldestState} on are readable`;
  return layout === "archive" ? `archive layout: ${range}` : `flat layout: ${range}; stored trie of block ${trieBlock}`;
}

/** The largest tables first. */
function printTables(best: number, tables: Readonly<Record<string, number>>): void {
  const row = (name: string, bytes: number) => {
    const perBlock = (bytes / Math.max(best, 1)).toFixed(0);
    print(`${name.padEnd(18)}${(bytes / 2 ** 20).toFixed(1).padStart(10)}${perBlock.padStart(16)}`);
  };
  print(`${"table".padEnd(18)}${"MiB".padStart(10)}${"bytes a block".padStart(16)}`);
  for (const [name, bytes] of Object.entries(tables).sort(([, a], [, b]) => b - a)) row(name, bytes);
  row(
    "total",
    Object.values(tables).reduce((sum, bytes) => sum + bytes, 0),
  );
}

function problemJson(problem: DatabaseProblem): object {
  return {
    ...problem,
    ...("hash" in problem && { hash: toData(problem.hash) }),
    ...("key" in problem && { key: toData(problem.key) }),
  };
}

function printResult({ blocks, nodes, problems, snapshot }: DatabaseCheckResult): void {
  for (const problem of problems) {
    print(
      Object.entries(problemJson(problem))
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
    );
  }
  if (snapshot !== undefined) print(snapshotText(snapshot));
  const verdict = problems.length === 0 ? "no problems" : counted(problems.length, "problem");
  print(`checked ${counted(blocks, "block")} and ${counted(nodes, "state node")}: ${verdict}`);
}

function snapshotText(gaps: SnapshotGaps): string {
  if (gaps.kind === "installing") {
    return `snapshot of block ${gaps.block} incomplete: ${gaps.bytes} of ${gaps.totalBytes || "?"} bytes of state downloaded`;
  }
  const blocks = gaps.earliest > 1 ? `; blocks 1 to ${gaps.earliest - 1} not downloaded yet` : "";
  return `started from a snapshot of block ${gaps.block}: no receipts up to that block${blocks}`;
}
