import type { NetworkConfig } from "@cambium/config";
import { type KeyValueReader, numberKey, readNumber, type Write, writeNumber, writeUint32 } from "@cambium/database";
import {
  bigintToBytes,
  bytesToBigint,
  concatBytes,
  decodeRlpItem,
  decodeRlpList,
  encodeRlp,
  equalBytes,
  measuredCache,
  RawRlp,
  type RlpItem,
  toHex,
} from "@cambium/primitives";
import {
  applySender,
  applySenders,
  Block,
  BlockHeader,
  blockItems,
  decodeReceipt,
  decodeTransactionAt,
  decodeTransactions,
  decodeUncles,
  EMPTY_UNCLES_HASH,
  encodeReceipt,
  type Receipt,
  summariseReceipt,
  type Transaction,
} from "@cambium/types";
import { ChainError } from "../errors.js";
import type { EncodedBody } from "../interface.js";
import type { BlockId, StateSource } from "../state/stored-states.js";
import type { BlockOutcome } from "../tables/block-outcome.js";
import { FACTS, numberFact, TABLES } from "../tables/tables.js";
import { BlockCache } from "./block-cache.js";
import { sendersWrites, storedSenders } from "./block-senders.js";
import { type LocatedReceipt, locatedReceipts } from "./located-receipt.js";

/** Position of a transaction of the best chain. */
export interface TransactionPosition {
  number: number;
  index: number;
}

const HEADERS = measuredCache("headers");
const BLOCKS = measuredCache("blocks");
const RECEIPTS = measuredCache("receipts");
const HASH_BYTES = 32;
/** Number of the block and index in it. */
const POSITION_BYTES = 12;

/** Reads blocks and their data from the tables of `tables.ts`, and builds the changes that store them. */
export class ChainStore {
  /** Data from which the states of the blocks are read. */
  readonly states: StateSource;
  /** Hash of the last block from which {@link receipt} decoded one receipt alone. */
  private readSingly = "";

  constructor(
    private readonly reader: KeyValueReader,
    private readonly network: NetworkConfig,
    private readonly cache = new BlockCache(),
  ) {
    this.states = {
      reader,
      parentOf: (hash) => this.header(hash)?.parentHash,
      hashesAt: (number) => this.hashesAt(number),
    };
  }

  bestHash(): Uint8Array | undefined {
    return this.reader.get(TABLES.facts, FACTS.best);
  }

  /** Returns the hash of the block of the best chain with a number. */
  hashAt(number: number): Uint8Array | undefined {
    return this.reader.get(TABLES.bestChain, numberKey(number));
  }

  /** All known blocks with a number, in order of arrival. */
  hashesAt(number: number): Uint8Array[] {
    const stored = this.reader.get(TABLES.siblings, numberKey(number));
    const hashes: Uint8Array[] = [];
    for (let at = 0; at < (stored?.length ?? 0); at += HASH_BYTES) hashes.push(stored!.subarray(at, at + HASH_BYTES));
    return hashes;
  }

  /** Throws {@link ChainError} `DATABASE_DAMAGED` if another header is stored under this hash. */
  header(hash: Uint8Array): BlockHeader | undefined {
    const key = toHex(hash);
    const cached = this.cache.headers.get(key);
    if (cached !== undefined) return HEADERS.hit(cached);
    HEADERS.miss();
    const stored = this.reader.get(TABLES.headers, hash);
    if (stored === undefined) return undefined;
    const header = BlockHeader.decode(stored, this.network);
    // LevelDB does not verify the tables that it reads.
    if (!equalBytes(header.hash, hash)) throw new ChainError({ code: "DATABASE_DAMAGED", what: "header", key: hash });
    this.cache.headers.set(key, header);
    return header;
  }

  /** A block with its stored senders. */
  block(hash: Uint8Array): Block | undefined {
    const key = toHex(hash);
    const cached = this.cache.blocks.get(key);
    if (cached !== undefined) return this.withSenders(BLOCKS.hit(cached));
    BLOCKS.miss();
    const header = this.header(hash);
    const transactions = this.reader.get(TABLES.transactions, hash);
    const uncles = this.uncles(hash);
    if (header === undefined || transactions === undefined || uncles === undefined) return undefined;
    const block = new Block(header, decodeTransactions(decodeRlpItem(transactions), this.network), uncles);
    this.cache.blocks.set(key, block);
    return this.withSenders(block);
  }

  private withSenders(block: Block): Block {
    const { transactions } = block;
    if (transactions.every(({ hasSender }) => hasSender)) return block;
    const senders = storedSenders(this.reader, block, transactions.length);
    if (senders !== undefined) applySenders(transactions, senders);
    return block;
  }

  /**
   * One transaction of a block with its stored sender, read without the rest of the block; undefined if the block is
   * unknown or has fewer.
   */
  transaction(block: BlockId, index: number): Transaction | undefined {
    const cached = this.cache.blocks.get(toHex(block.hash));
    if (cached !== undefined) return this.withSenders(cached).transactions[index];
    const stored = this.reader.get(TABLES.transactions, block.hash);
    if (stored === undefined) return undefined;
    const list = decodeRlpItem(stored);
    const transaction = decodeTransactionAt(list, index, this.network);
    if (transaction === undefined || transaction.hasSender) return transaction;
    const senders = storedSenders(this.reader, block, list.items.length);
    if (senders !== undefined) applySender(transaction, index, senders);
    return transaction;
  }

  /** Hashes of a block's transactions, read without the rest of it; undefined if the block is unknown. */
  transactionHashes(hash: Uint8Array): Uint8Array[] | undefined {
    const cached = this.cache.blocks.get(toHex(hash));
    const stored = cached === undefined ? this.reader.get(TABLES.transactions, hash) : undefined;
    const transactions = cached?.transactions ?? (stored && decodeTransactions(decodeRlpItem(stored), this.network));
    return transactions?.map((transaction) => transaction.hash);
  }

  /** Network encoding of a whole block. */
  encodedBlock(hash: Uint8Array): Uint8Array | undefined {
    const header = this.reader.get(TABLES.headers, hash);
    const body = this.encodedBody(hash);
    if (header === undefined || body === undefined) return undefined;
    return encodeRlp([header, body.transactions, body.uncles].map((bytes) => new RawRlp(bytes)));
  }

  /** Network encoding of a block's lists. */
  encodedBody(hash: Uint8Array): EncodedBody | undefined {
    const transactions = this.reader.get(TABLES.transactions, hash);
    if (transactions === undefined) return undefined;
    return { transactions, uncles: this.reader.get(TABLES.uncles, hash) ?? EMPTY_LIST };
  }

  /**
   * Uncles of a block, read without the rest of it; undefined if the block is unknown. Throws {@link ChainError}
   * `BLOCK_PRUNED` if they are no longer stored.
   */
  uncles(hash: Uint8Array): readonly BlockHeader[] | undefined {
    const header = this.header(hash);
    if (header === undefined) return undefined;
    if (equalBytes(header.unclesHash, EMPTY_UNCLES_HASH)) return [];
    const key = toHex(hash);
    const cached = this.cache.blocks.get(key)?.uncles ?? this.cache.uncles.get(key);
    if (cached !== undefined) return cached;
    const stored = this.reader.get(TABLES.uncles, hash);
    if (stored === undefined) {
      this.requireUnpruned(header.number);
      return [];
    }
    const uncles = decodeUncles(decodeRlpItem(stored), this.network);
    this.cache.uncles.set(key, uncles);
    return uncles;
  }

  /** Throws {@link ChainError} `BLOCK_PRUNED` for a number below the oldest block that is stored whole. */
  requireUnpruned(number: number): void {
    const oldest = this.network.fork === undefined ? (numberFact(this.reader, FACTS.earliest) ?? 0) : 0;
    if (number > 0 && number < oldest) throw new ChainError({ code: "BLOCK_PRUNED", number, oldest });
  }

  outcome(hash: Uint8Array): BlockOutcome | undefined {
    const stored = this.reader.get(TABLES.outcomes, hash);
    if (stored === undefined) return undefined;
    return {
      stateRoot: stored.subarray(0, HASH_BYTES),
      totalDifficulty: bytesToBigint(stored.subarray(HASH_BYTES)),
    };
  }

  /** Receipts in transaction order; undefined if the block is unknown. */
  receipts(hash: Uint8Array): readonly Receipt[] | undefined {
    const key = toHex(hash);
    const cached = this.cache.receipts.get(key);
    if (cached !== undefined) return RECEIPTS.hit(cached);
    RECEIPTS.miss();
    const stored = this.reader.get(TABLES.receipts, hash);
    if (stored === undefined) return undefined;
    const receipts = decodeRlpList(stored).map((item) => decodeReceipt(item.raw));
    this.cache.receipts.set(key, receipts);
    return receipts;
  }

  /**
   * One receipt of a block; undefined if the block is unknown or has fewer. The first one read is decoded alone. If the
   * next one is of the same block, all of them are decoded and cached, because more may follow.
   */
  receipt(hash: Uint8Array, index: number): LocatedReceipt | undefined {
    const key = toHex(hash);
    if (this.cache.receipts.get(key) !== undefined || key === this.readSingly) {
      return locatedReceipts(this.receipts(hash) ?? [])[index];
    }
    this.readSingly = key;
    const stored = this.encodedReceipts(hash);
    if (stored?.[index] === undefined) return undefined;
    const earlier = stored.slice(0, index);
    const firstLog = earlier.reduce((sum, receipt) => sum + summariseReceipt(receipt).logCount, 0);
    return { receipt: decodeReceipt(stored[index].raw), firstLog };
  }

  /** Returns the stored receipts of a block, still encoded; undefined if the block is unknown. */
  encodedReceipts(hash: Uint8Array): readonly RlpItem[] | undefined {
    const stored = this.reader.get(TABLES.receipts, hash);
    return stored && decodeRlpList(stored);
  }

  /** Returns the stored transactions of a block, still encoded; undefined if the block is unknown. */
  encodedTransactions(hash: Uint8Array): readonly RlpItem[] | undefined {
    const stored = this.reader.get(TABLES.transactions, hash);
    return stored && decodeRlpList(stored);
  }

  /**
   * Returns the position of a transaction in the best chain. Throws {@link ChainError} `DATABASE_DAMAGED` or
   * `DatabaseError` if the entry is malformed.
   */
  transactionPosition(hash: Uint8Array): TransactionPosition | undefined {
    const stored = this.reader.get(TABLES.transactionIndex, hash);
    return stored === undefined ? undefined : { number: readNumber(stored, 0), index: readIndex(stored, hash) };
  }

  /**
   * Changes that store a block, on the best chain or not. `isFirst`: no block with its number is known.
   * `encodedReceipts`: the results of `encodeReceipt`, if they are known.
   */
  blockWrites(
    block: Block,
    receipts: readonly Receipt[],
    outcome: BlockOutcome,
    isFirst = false,
    encodedReceipts: readonly Uint8Array[] = receipts.map(encodeReceipt),
  ): Write[] {
    const key = block.header.hash;
    const value = encodeRlp(encodedReceipts.map((encoded) => new RawRlp(encoded)));
    const writes: Write[] = [
      ...contentWrites(block),
      ...this.outcomeWrites(block.header, outcome, isFirst),
      { table: TABLES.receipts, key, value },
      ...sendersWrites(block),
    ];
    this.remember(block, receipts);
    return writes;
  }

  /** Changes that make a block known; its content must be stored. */
  outcomeWrites({ number, hash }: BlockHeader, outcome: BlockOutcome, isFirst = false): Write[] {
    const value = isFirst ? hash : this.withSibling(number, hash);
    return [
      { table: TABLES.outcomes, key: hash, value: encodeOutcome(outcome) },
      { table: TABLES.siblings, key: numberKey(number), value },
    ];
  }

  private withSibling(number: number, hash: Uint8Array): Uint8Array {
    const known = this.reader.get(TABLES.siblings, numberKey(number));
    return known === undefined ? hash : concatBytes(known, hash);
  }

  private remember(block: Block, receipts: readonly Receipt[]): void {
    const key = toHex(block.header.hash);
    this.cache.headers.set(key, block.header);
    this.cache.blocks.set(key, block);
    this.cache.receipts.set(key, receipts);
  }
}

const EMPTY_LIST = encodeRlp([]);

/** Changes that store a block's content under its hash; on their own they do not make the block known. */
export function contentWrites(block: Block): Write[] {
  const key = block.hash;
  const [header, transactions, uncles] = blockItems(block.encode());
  const writes: Write[] = [
    { table: TABLES.headers, key, value: header.raw },
    { table: TABLES.transactions, key, value: transactions.raw },
  ];
  if (block.uncles.length > 0) writes.push({ table: TABLES.uncles, key, value: uncles.raw });
  return writes;
}

function encodeOutcome({ stateRoot, totalDifficulty }: BlockOutcome): Uint8Array {
  return concatBytes(stateRoot, bigintToBytes(totalDifficulty));
}

/** Changes that add a block to the best chain. */
export function adoptWrites(block: Block): Write[] {
  const { number, hash } = block.header;
  const writes: Write[] = [{ table: TABLES.bestChain, key: numberKey(number), value: hash }];
  for (const [index, transaction] of block.transactions.entries()) {
    // Written without a view, which would move the array out of V8's heap.
    const value = new Uint8Array(POSITION_BYTES);
    writeNumber(value, 0, number);
    writeUint32(value, 8, index);
    writes.push({ table: TABLES.transactionIndex, key: transaction.hash, value });
  }
  return writes;
}

/**
 * Returns changes that remove a block with these transactions from the best chain. The changes of the blocks that
 * replace it must follow.
 */
export function abandonWrites(number: number, transactions: readonly Uint8Array[]): Write[] {
  const writes: Write[] = [{ table: TABLES.bestChain, key: numberKey(number), value: undefined }];
  for (const key of transactions) writes.push({ table: TABLES.transactionIndex, key, value: undefined });
  return writes;
}

function readIndex(bytes: Uint8Array, key: Uint8Array): number {
  if (bytes.length !== POSITION_BYTES)
    throw new ChainError({ code: "DATABASE_DAMAGED", what: "transaction index", key });
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(8);
}
