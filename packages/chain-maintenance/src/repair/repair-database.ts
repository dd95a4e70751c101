import { existsSync, renameSync, rmSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { type ChainOptions, checkedGenesis, consensusProfile, createChainEvm, genesisWrites } from "@cambium/chain";
import { ChainError, ChainStore, FACTS, STATE_LAYOUTS, TABLES } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import {
  copyDatabaseFiles,
  type Database,
  databaseSize,
  type FileProblem,
  lockDatabase,
  openUnverified,
  type RestoredFiles,
  repairedPath,
  restoreFiles,
} from "@cambium/database";
import { CambiumError, equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { checkDatabase } from "../check/check-database.js";
import { replacedPath } from "./backup-database.js";
import { rebuildBestChain } from "./best-chain.js";
import { repairFlat } from "./repair-flat.js";
import type { RepairStep } from "./repair-step.js";
import { keepSoundBlocks, type RebuildParts, type SoundBlocks } from "./sound-blocks.js";
import { correctSenders } from "./stored-senders.js";

export interface RepairOptions extends Pick<ChainOptions, "network" | "genesis" | "evm" | "profile" | "now"> {
  /** Directory of the database. */
  location: string;
  /** `total` is 0 if it is not known. */
  onProgress?: (step: RepairStep, done: number, total: number) => void;
  /** Called with the next step of a repair of the flat layout, and its reason: sentences without a full stop. */
  onDecision?: (text: string) => void;
  signal?: AbortSignal;
}

export interface RepairResult {
  /** Damaged or missing files. */
  problems: FileProblem[];
  /** Present location of the damaged database. Undefined if nothing was damaged, and nothing was changed. */
  replaced: string | undefined;
  /** Number of the best block before; undefined if it cannot be read. */
  before: number | undefined;
  best: { number: number; hash: Uint8Array };
  /** Number of blocks whose results had to be computed again. */
  executed: number;
  /** Number of deleted blocks, besides those that the latest batches contained. */
  deleted: number;
}

/**
 * Repairs the database of a chain. Works on a copy, which replaces the database at the end, so that it can be
 * interrupted at any moment and repeated. Rejects with `DatabaseError`, or {@link ChainError} `DATABASE_NETWORK`,
 * `REPAIR_SPACE`; the database is then unchanged.
 */
export async function repairDatabase(options: RepairOptions): Promise<RepairResult> {
  const { location } = options;
  const working = `${location}.repairing`;
  rmSync(working, { recursive: true, force: true });
  const finished = finishRepair(location);
  const unlock = await lockDatabase(location);
  try {
    requireSpace(location);
    copyDatabaseFiles(location, working);
    const files = await restoreFiles(working);
    const result = await repairChain(working, files, options);
    if (result.isIntact) {
      rmSync(working, { recursive: true });
      return { ...result, replaced: finished };
    }
    renameSync(working, repairedPath(location));
    return { ...result, replaced: finishRepair(location) };
  } finally {
    await unlock();
  }
}

/**
 * Puts a repaired database in its place, including that of an interrupted repair. Returns the new location of the
 * damaged one.
 */
function finishRepair(location: string): string | undefined {
  const finished = repairedPath(location);
  if (!existsSync(finished)) return undefined;
  const replaced = replacedPath(location);
  if (existsSync(location)) renameSync(location, replaced);
  renameSync(finished, location);
  return replaced;
}

/** A repair writes the logs to tables, and LevelDB then rewrites all tables. */
function requireSpace(location: string): void {
  const { logs, tables } = databaseSize(location);
  const needed = 2 * logs + tables;
  const { bavail, bsize } = statfsSync(dirname(location));
  if (bavail * bsize < needed) {
    throw new ChainError({ code: "REPAIR_SPACE", folder: dirname(location), needed, available: bavail * bsize });
  }
}

type ChainRepair = Omit<RepairResult, "replaced"> & { isIntact: boolean };

async function repairChain(working: string, files: RestoredFiles, options: RepairOptions): Promise<ChainRepair> {
  const { network } = options;
  const database = await openUnverified(working);
  try {
    requireNetwork(database, options);
    const before = numberOfBest(database, network);
    const isSound = await isUsable(database, files, options);
    const outcome = isSound
      ? { best: bestHeader(database, network)!, executed: 0, deleted: 0 }
      : await rebuildChain(database, options);
    const { best, executed, deleted } = outcome;
    const isIntact = isSound && files.lost === "nothing";
    const { number, hash } = best;
    return { problems: files.problems, before, best: { number, hash }, executed, deleted, isIntact };
  } finally {
    await database.close();
  }
}

/** Whether only the latest batches are missing: the database is then in an earlier state. */
async function isUsable(database: Database, { lost }: RestoredFiles, options: RepairOptions): Promise<boolean> {
  if (lost === "any" || database.get(TABLES.facts, FACTS.schema) === undefined) return false;
  if (lost === "latest") return true;
  const onProgress = (blocks: number) => options.onProgress?.("checking", blocks, 0);
  const { problems } = await checkDatabase(database, options.network, { ...options, deep: true, onProgress });
  return problems.length === 0;
}

/** Keeps the sound blocks of a database that may lack any entry, and makes the best of them the best block. */
export async function rebuildChain(database: Database, options: Omit<RepairOptions, "location">): Promise<SoundBlocks> {
  const { network, onProgress = () => undefined } = options;
  const parts = {
    database,
    network,
    evm: options.evm ?? createChainEvm(network),
    profile: options.profile ?? consensusProfile,
    now: options.now ?? (() => Date.now() / 1000),
    signal: options.signal,
  };
  const inStep = (step: RepairStep): RebuildParts => ({
    ...parts,
    onProgress: (done, total) => onProgress(step, done, total),
  });
  const report = { onStep: onProgress, onDecision: options.onDecision ?? (() => undefined) };
  const kept = (await isFlat(database))
    ? await repairFlat({ ...parts, ...report }, options.genesis)
    : await rebuildArchive(inStep, options);
  await correctSenders(inStep("senders"));
  return kept;
}

async function rebuildArchive(
  inStep: (step: RepairStep) => RebuildParts,
  options: Omit<RepairOptions, "location">,
): Promise<SoundBlocks> {
  const checking = inStep("checking");
  const genesis = genesisWrites({ ...options, stateLayout: "archive" });
  await checking.database.write(genesis.filter(({ key }) => !equalBytes(key, FACTS.best)));
  const kept = await keepSoundBlocks(checking);
  await rebuildBestChain(inStep("indexing"), kept.best);
  return kept;
}

/** Whether the database has the flat layout, even if it no longer says so. */
async function isFlat(database: Database): Promise<boolean> {
  const layout = database.get(TABLES.facts, FACTS.layout);
  if (layout !== undefined) return STATE_LAYOUTS[layout[0]!] === "flat";
  for await (const _ of database.entries(TABLES.stateNodes)) return false;
  for await (const _ of database.entries(TABLES.flatState)) return true;
  return false;
}

/** Refuses a database whose genesis belongs to another network. A database without a genesis is not refused. */
function requireNetwork(database: Database, options: RepairOptions): void {
  if (
    database.get(TABLES.facts, FACTS.genesis) !== undefined &&
    database.get(TABLES.facts, FACTS.schema) !== undefined
  ) {
    checkedGenesis(database, options);
  }
}

function bestHeader(database: Database, network: NetworkConfig): BlockHeader | undefined {
  const store = new ChainStore(database, network);
  const hash = store.bestHash();
  return hash && store.header(hash);
}

/** Undefined if it cannot be read. */
function numberOfBest(database: Database, network: NetworkConfig): number | undefined {
  try {
    return bestHeader(database, network)?.number;
  } catch (error) {
    if (error instanceof CambiumError) return undefined;
    throw error;
  }
}
