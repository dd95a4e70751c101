import { type KeyValueReader, numberKey, type Write } from "@cambium/database";
import { append } from "@cambium/primitives";
import { decodeReceipt, type Log } from "@cambium/types";
import { sendersKey } from "./blocks/block-senders.js";
import type { ChainStore } from "./blocks/chain-store.js";
import { CHUNK_BLOCKS, removalWrites } from "./logs/log-index.js";
import { historyStart } from "./state/flat-state-options.js";
import type { BlockId } from "./state/stored-states.js";
import { FACTS, numberFact, TABLES } from "./tables/tables.js";

export interface BlockHistoryOptions {
  /** Number of blocks below the best one that remain stored whole; by default all. */
  blocks?: number | undefined;
  /** Number of blocks that are always kept, for reorganisations and snapshots. */
  minBlocks?: number;
  /** Number of blocks below those whose uncles are kept: the reward contract and others read them. */
  uncleBlocks?: number;
}

/** More than the 4,000 blocks that contracts read (`spec/04 §6.9`), and the 20 of the reward rules (`spec/05 §5`). */
const UNCLE_BLOCKS = 5_000;
/** Bytes of transactions and receipts, above which a batch is not extended. */
const BATCH_BYTES = 2 * 2 ** 20;

/**
 * Drops old blocks: transactions with their senders, uncles, receipts and their index entries. Headers, total
 * difficulties and hashes by number stay. Each batch of changes moves the oldest block, so that the database is
 * consistent after each of them.
 */
export class BlockPruning {
  private readonly uncleBlocks: number;

  constructor(
    private readonly reader: KeyValueReader,
    private readonly store: ChainStore,
    private readonly options: BlockHistoryOptions,
  ) {
    this.uncleBlocks = options.uncleBlocks ?? UNCLE_BLOCKS;
  }

  /** Number of the lowest block above genesis that is stored whole. */
  get oldest(): number {
    return numberFact(this.reader, FACTS.earliest) ?? 1;
  }

  /** Number of the block that will be the oldest one if `best` is the best one; no other than genesis if it is 0. */
  target(best: number): number {
    const { blocks, minBlocks } = this.options;
    return historyStart(best, { history: blocks, minHistory: minBlocks });
  }

  /** Changes that drop some of the oldest blocks below `target`; none if there are none. */
  next(target: number): Write[] {
    const from = this.oldest;
    const end = Math.min(target, from - (from % CHUNK_BLOCKS) + CHUNK_BLOCKS);
    const writes: Write[] = [];
    const logs: Log[] = [];
    let number = from;
    for (let bytes = 0; number < end && bytes < BATCH_BYTES; number++) {
      for (const hash of this.store.hashesAt(number)) bytes += this.drop({ number, hash }, logs, writes);
      this.dropIndexed(number, writes);
      if (number > this.uncleBlocks) this.dropUncles(number - this.uncleBlocks, writes);
    }
    if (number === from) return [];
    append(writes, removalWrites(this.reader, logs, from, number));
    writes.push({ table: TABLES.facts, key: FACTS.earliest, value: numberKey(number) });
    return writes;
  }

  /** Adds the changes that drop a block, on the best chain or not, and its logs; returns its bytes. */
  private drop(block: BlockId, logs: Log[], writes: Write[]): number {
    const key = block.hash;
    let bytes = 0;
    for (const { raw } of this.store.encodedReceipts(key) ?? []) {
      bytes += raw.length;
      append(logs, decodeReceipt(raw).logs);
    }
    for (const { raw } of this.store.encodedTransactions(key) ?? []) bytes += raw.length;
    for (const table of [TABLES.transactions, TABLES.receipts]) writes.push({ table, key, value: undefined });
    writes.push({ table: TABLES.senders, key: sendersKey(block), value: undefined });
    return bytes;
  }

  private dropUncles(number: number, writes: Write[]): void {
    for (const key of this.store.hashesAt(number)) writes.push({ table: TABLES.uncles, key, value: undefined });
  }

  private dropIndexed(number: number, writes: Write[]): void {
    const hash = this.store.hashAt(number);
    for (const key of (hash && this.store.transactionHashes(hash)) ?? []) {
      writes.push({ table: TABLES.transactionIndex, key, value: undefined });
    }
  }
}
