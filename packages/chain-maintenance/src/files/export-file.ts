import type { StoredChainReader } from "@cambium/chain";
import { ChainError } from "@cambium/chain-store";
import { BlockFileWriter } from "./block-file.js";

export interface ExportOptions {
  /**
   * First block, inclusive; by default block 1, or the earliest available one. The last block defaults to the best one.
   */
  fromBlock?: number;
  toBlock?: number;
  onProgress?: (number: number) => void;
  signal?: AbortSignal;
}

/**
 * Writes blocks of the best chain to a file for {@link importFiles}, gzipped if its name ends in `.gz`. Resolves to the
 * number of blocks. Rejects with {@link ChainError} `BLOCK_FILE` or `DATABASE_DAMAGED`.
 */
export async function exportFile(
  reader: StoredChainReader,
  path: string,
  options: ExportOptions = {},
): Promise<number> {
  const last = Math.min(options.toBlock ?? Number.MAX_SAFE_INTEGER, reader.best().header.number);
  const writer = new BlockFileWriter(path);
  let count = 0;
  try {
    for (
      let number = Math.max(options.fromBlock ?? reader.earliestBlock(), 1);
      number <= last && !options.signal?.aborted;
      number++
    ) {
      const block = reader.blockByNumber(number);
      const totalDifficulty = block === undefined ? undefined : reader.totalDifficulty(block.hash);
      if (block === undefined || totalDifficulty === undefined) {
        throw new ChainError({ code: "DATABASE_DAMAGED", what: `block ${number}`, key: new Uint8Array(0) });
      }
      await writer.write({ number, hash: block.hash, totalDifficulty, rlp: block.encode() });
      count++;
      options.onProgress?.(number);
    }
  } finally {
    await writer.close();
  }
  return count;
}
