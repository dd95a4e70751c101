import { rmSync } from "node:fs";
import { ChainStore } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import {
  copyDatabaseFiles,
  type Database,
  type FileProblem,
  lockDatabase,
  openUnverified,
  restoreFiles,
} from "@cambium/database";
import { CambiumError, equalBytes } from "@cambium/primitives";
import { type Block, checkRawBody } from "@cambium/types";
import { BlockFileWriter } from "./block-file.js";

export interface ReadableExportOptions {
  network: NetworkConfig;
  /** Directory of the database. */
  location: string;
  /** File to write. */
  path: string;
  fromBlock: number;
  toBlock: number;
  onProgress?: (number: number) => void;
  signal?: AbortSignal;
}

export interface ReadableExport {
  /** Number of blocks written. Where the best chain is unknown, they include those of other branches. */
  count: number;
  /** Damaged or missing files. */
  problems: FileProblem[];
  /** First and last numbers of ranges without a readable block. */
  missing: [first: number, last: number][];
}

/**
 * Works like {@link exportFile}, from a database that may be damaged: writes the blocks whose content has their hash.
 * Reads a copy next to the database, without damaged entries, whose tables are links. Rejects with `DatabaseError`
 * `DATABASE_MISSING` or `DATABASE_OPEN`, and {@link ChainError} `BLOCK_FILE`. The database is not changed.
 */
export async function exportReadable(options: ReadableExportOptions): Promise<ReadableExport> {
  const { location } = options;
  const working = `${location}.exporting`;
  const unlock = await lockDatabase(location);
  try {
    rmSync(working, { recursive: true, force: true });
    copyDatabaseFiles(location, working);
    const { problems } = await restoreFiles(working);
    const database = await openUnverified(working);
    try {
      return { ...(await writeBlocks(database, options)), problems };
    } finally {
      await database.close();
    }
  } finally {
    rmSync(working, { recursive: true, force: true });
    await unlock();
  }
}

async function writeBlocks(
  database: Database,
  { network, path, fromBlock, toBlock, onProgress, signal }: ReadableExportOptions,
): Promise<Omit<ReadableExport, "problems">> {
  const store = new ChainStore(database, network);
  const writer = new BlockFileWriter(path);
  const missing: ReadableExport["missing"] = [];
  let count = 0;
  try {
    for (let number = Math.max(fromBlock, 1); number <= toBlock && !signal?.aborted; number++) {
      const blocks = readableBlocks({ store, network }, number);
      for (const block of blocks) {
        // Import verifies blocks by themselves; a difficulty that is lost is written as 0.
        const totalDifficulty = reading(() => store.outcome(block.hash))?.totalDifficulty ?? 0n;
        await writer.write({ number, hash: block.hash, totalDifficulty, rlp: block.encode() });
        count++;
      }
      if (blocks.length === 0) addTo(missing, number);
      onProgress?.(number);
    }
  } finally {
    await writer.close();
  }
  return { count, missing };
}

interface Source {
  store: ChainStore;
  network: NetworkConfig;
}

/** Returns the block of the best chain; if it is unknown, all blocks with this number. */
function readableBlocks(source: Source, number: number): Block[] {
  const { store } = source;
  const best = reading(() => store.hashAt(number));
  const block = best && readableBlock(source, best, number);
  if (block !== undefined) return [block];
  const others = reading(() => store.hashesAt(number)) ?? [];
  return others.map((hash) => readableBlock(source, hash, number)).filter((one) => one !== undefined);
}

/** Returns a block; undefined if a part of it is missing or does not match its hash. */
function readableBlock({ store, network }: Source, hash: Uint8Array, number: number): Block | undefined {
  return reading(() => {
    const block = store.block(hash);
    if (block?.number !== number || !equalBytes(block.hash, hash)) return undefined;
    checkRawBody(block.encode(), block.header, network);
    return block;
  });
}

function addTo(ranges: [number, number][], number: number): void {
  const last = ranges.at(-1);
  if (last?.[1] === number - 1) last[1] = number;
  else ranges.push([number, number]);
}

/** Undefined if it cannot be read or decoded. */
function reading<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CambiumError) return undefined;
    throw error;
  }
}
