import { ChainStore, hasState } from "@cambium/chain-store";
import { type KnownBlock, type NetworkConfig, rulesAt } from "@cambium/config";
import type { Database } from "@cambium/database";
import { equalBytes, toData } from "@cambium/primitives";

/** A value of the best chain that is not the known one. Hashes are hex with `0x`, total difficulties decimal. */
export interface KnownDifference {
  number: number;
  what: "hash" | "state root" | "total difficulty";
  expected: string;
  found: string;
}

export interface KnownBlocksResult {
  /** Number of known blocks that the best chain has. */
  compared: number;
  /** Number of blocks that the database lacks: above the best block, or below a snapshot and not downloaded. */
  skipped: number;
  differences: KnownDifference[];
}

/**
 * Compares the best chain with known blocks. Changes nothing. Throws {@link ChainError} `DATABASE_DAMAGED` or
 * `DatabaseError` if a block cannot be read.
 */
export function compareKnownBlocks(
  database: Database,
  network: NetworkConfig,
  known: readonly KnownBlock[],
): KnownBlocksResult {
  const store = new ChainStore(database, network);
  const result: KnownBlocksResult = { compared: 0, skipped: 0, differences: [] };
  for (const expected of known) {
    const differences = differencesOf(store, network, expected);
    if (differences === undefined) result.skipped++;
    else {
      result.compared++;
      for (const difference of differences) result.differences.push(difference);
    }
  }
  return result;
}

/** Undefined if the block is not stored. */
function differencesOf(
  store: ChainStore,
  network: NetworkConfig,
  { number, hash, stateRoot, totalDifficulty }: KnownBlock,
): KnownDifference[] | undefined {
  const stored = store.hashAt(number);
  const header = stored && store.header(stored);
  const outcome = stored && store.outcome(stored);
  if (header === undefined || outcome === undefined) return undefined;
  const differences: KnownDifference[] = [];
  const add = (what: KnownDifference["what"], expected: string, found: string) =>
    differences.push({ number, what, expected, found });
  const compare = (what: "hash" | "state root", expected: Uint8Array | undefined, found: Uint8Array) => {
    if (expected !== undefined && !equalBytes(expected, found)) add(what, toData(expected), toData(found));
  };
  compare("hash", hash, header.hash);
  // The header's root has another format than the stored one before RSKIP-126.
  const isState = rulesAt(network, number).rskip126 && hasState(outcome);
  compare("state root", stateRoot, isState ? outcome.stateRoot : header.stateRoot);
  if (totalDifficulty !== undefined && totalDifficulty !== outcome.totalDifficulty) {
    add("total difficulty", String(totalDifficulty), String(outcome.totalDifficulty));
  }
  return differences;
}
