import { type ChainOptions, checkedGenesis } from "@cambium/chain";
import { type BlockHistoryOptions, BlockPruning, ChainError, ChainStore, FACTS } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";

export interface PruneBlocksOptions {
  network: NetworkConfig;
  database: Database;
  /** Builds block 0 if it is not the network's. */
  genesis?: ChainOptions["genesis"];
  blockHistory: BlockHistoryOptions;
  /** Called after each batch with the number of the oldest block that is stored whole, and what it will be. */
  onProgress?: (oldest: number, target: number) => void;
  signal?: AbortSignal;
}

/**
 * Drops old blocks in one run, all but their headers; a chain that imports does it step by step. It can be interrupted
 * at any moment. Resolves to the number of the oldest block above genesis that is stored whole. Rejects as `openChain`
 * does.
 */
export async function pruneBlocks(options: PruneBlocksOptions): Promise<number> {
  const { network, database, blockHistory, onProgress, signal } = options;
  checkedGenesis(database, options);
  const store = new ChainStore(database, network);
  const hash = store.bestHash();
  const best = hash && store.header(hash);
  if (best === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "best block", key: FACTS.best });
  const pruning = new BlockPruning(database, store, blockHistory);
  const target = pruning.target(best.number);
  for (let writes = pruning.next(target); writes.length > 0 && !signal?.aborted; writes = pruning.next(target)) {
    await database.write(writes);
    onProgress?.(pruning.oldest, target);
  }
  return pruning.oldest;
}
