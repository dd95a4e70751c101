import { TABLES } from "@cambium/chain-store";
import { type KeyValueReader, readNumber, type Table } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import type { ForkSource } from "./fork-source.js";

/** Tables with an entry for every stored block; the key is the block's hash. */
const OF_BLOCK: ReadonlySet<number> = new Set([TABLES.transactions, TABLES.uncles, TABLES.receipts]);

/**
 * The database of a fork, extended by the source's blocks up to the one where the fork begins. The import sets
 * `isWhole` to false: only local blocks and transactions are then known, which needs no request.
 */
export class ForkedBlocks implements KeyValueReader {
  constructor(
    private readonly local: KeyValueReader,
    private readonly source: ForkSource,
    private readonly isWhole: boolean,
  ) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const stored = this.local.get(table, key);
    if (stored !== undefined) return stored;
    if (OF_BLOCK.has(table)) return this.isOfLocal(key) ? undefined : this.source.block(table, key);
    switch (table) {
      case TABLES.headers:
        return this.source.block(table, key);
      case TABLES.bestChain:
        return readNumber(key, 0) > this.source.fork.number ? undefined : this.source.block(table, key);
      case TABLES.outcomes:
      case TABLES.transactionIndex:
        return this.isWhole ? this.source.block(table, key) : undefined;
      default:
        return undefined;
    }
  }

  /** Whether a block is stored locally with all its parts. The block where the fork begins has only a local header. */
  private isOfLocal(hash: Uint8Array): boolean {
    return !equalBytes(hash, this.source.fork.hash) && this.local.get(TABLES.headers, hash) !== undefined;
  }
}
