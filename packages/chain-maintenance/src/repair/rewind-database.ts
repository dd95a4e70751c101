import type { Chain } from "@cambium/chain";
import { ChainError } from "@cambium/chain-store";

/** Blocks removed in one step, which are in memory together. */
const STEP = 128;

export interface RewindOptions {
  onProgress?: (number: number) => void;
  signal?: AbortSignal;
}

/**
 * Makes block `to` of the best chain the best block and deletes all blocks above it. The database is sound after each
 * step, so that a rewind can be interrupted and repeated. Rejects with {@link ChainError} `REWIND_TARGET` if there is
 * no such block, or its state is not stored.
 */
export async function rewindDatabase(chain: Chain, to: number, options: RewindOptions = {}): Promise<void> {
  const from = chain.best().header.number;
  const executed = chain.snapshotBlock() === 0 ? 0 : chain.snapshotBlock() + 1;
  const lowest = Math.max(executed, chain.earliestBlock());
  if (to > from || to < lowest) throw new ChainError({ code: "REWIND_TARGET", number: to, lowest, best: from });
  let best = from;
  // Run at least once: an interrupted rewind leaves blocks above its best block.
  do {
    best = Math.max(best - STEP, to);
    await chain.rewind(chain.hashByNumber(best)!);
    options.onProgress?.(best);
  } while (best > to && !options.signal?.aborted);
}
