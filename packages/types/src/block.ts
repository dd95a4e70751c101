import { type NetworkConfig, type Rules, rulesAt } from "@cambium/config";
import {
  allocateBytes,
  decodeRlpItem,
  decodeRlpList,
  encodeRlp,
  equalBytes,
  keccak256,
  RawRlp,
  type RlpItem,
} from "@cambium/primitives";
import { reportCodecWork } from "./codec-work.js";
import { readingRlp, TypesError } from "./errors.js";
import { BlockHeader } from "./header.js";
import { recogniseImpersonated } from "./impersonation.js";
import { rawTransactionsRoot, rootFormat, transactionsRoot } from "./roots.js";
import { Transaction } from "./transaction.js";

/** Facts that this process has already verified about an encoded block; never taken from a peer. */
export interface KnownOfBlock {
  /** The header, decoded from the same bytes. */
  header?: BlockHeader | undefined;
  /** Whether {@link checkRawBody} accepted the same bytes. */
  isBodyChecked?: boolean | undefined;
}

/** A block: header, transactions and uncle headers (`spec/01 §3.1`). */
export class Block {
  #encoded: Uint8Array | undefined;
  readonly #transactionsRoots: { new?: Uint8Array; old?: Uint8Array } = {};

  constructor(
    readonly header: BlockHeader,
    readonly transactions: readonly Transaction[],
    readonly uncles: readonly BlockHeader[],
  ) {}

  /**
   * Reads a block. A transactions root other than the header's makes it undecodable. Keeps views of `data`, except in
   * the header, which is often kept for longer. Throws {@link TypesError} only.
   */
  static decode(data: Uint8Array, network: NetworkConfig, known: KnownOfBlock = {}): Block {
    return readingRlp("BLOCK_MALFORMED", () => {
      const [header, transactions, uncles] = blockItems(data);
      const block = new Block(
        known.header ?? decodeOwnHeader(header, network),
        decodeTransactions(transactions, network),
        decodeUncles(uncles, network),
      );
      block.compareWith(data, network, known.isBodyChecked === true);
      return block;
    });
  }

  /**
   * Caches the received bytes as the encoding if they are canonical. RLP has several encodings of one value
   * (`spec/01 §1.2`). Hashes and roots are those of the canonical one, and only its bytes have the block's root. The
   * received bytes are also kept if nothing else can be read back.
   */
  private compareWith(data: Uint8Array, network: NetworkConfig, isBodyChecked: boolean): void {
    const isCanonical = equalBytes(this.encode(), data);
    if (isCanonical || !this.isReadable(network)) this.#encoded = data;
    if (isCanonical && isBodyChecked) {
      this.#transactionsRoots[rootFormat(rulesAt(network, this.number))] = this.header.transactionsRoot;
    } else {
      this.verifyTransactionsRoot(network);
    }
  }

  /**
   * Whether the canonical encoding decodes to the same headers: one of an unknown version loses its version byte
   * (`spec/01 §7`, 7).
   */
  private isReadable(network: NetworkConfig): boolean {
    try {
      const [header, , uncles] = blockItems(this.encode());
      const read = [decodeOwnHeader(header, network), ...decodeUncles(uncles, network)];
      return [this.header, ...this.uncles].every(({ hash }, i) => equalBytes(hash, read[i]!.hash));
    } catch (error) {
      if (error instanceof TypesError) return false;
      throw error;
    }
  }

  get hash(): Uint8Array {
    return this.header.hash;
  }

  get number(): number {
    return this.header.number;
  }

  /** Throws `TRANSACTIONS_ROOT` unless the header's root is that of the transactions (`spec/01 §3.5`). */
  verifyTransactionsRoot(network: NetworkConfig): void {
    const expected = this.header.transactionsRoot;
    const actual = this.transactionsRoot(rulesAt(network, this.number));
    if (!equalBytes(actual, expected)) throw new TypesError({ code: "TRANSACTIONS_ROOT", expected, actual });
  }

  /**
   * Returns the root computed from the transactions, cached. The header's claim is
   * {@link BlockHeader.transactionsRoot}.
   */
  transactionsRoot(rules: Rules): Uint8Array {
    const format = rootFormat(rules);
    this.#transactionsRoots[format] ??= transactionsRoot(this.transactions, rules);
    return this.#transactionsRoots[format];
  }

  /** Returns the full encoding, for storage and wire; it decodes to this block. Cached; callers must not change it. */
  encode(): Uint8Array {
    this.#encoded ??= encodeRlp([
      new RawRlp(this.header.encode("full")),
      this.transactions.map((transaction) => new RawRlp(transaction.encoded)),
      this.uncles.map((uncle) => new RawRlp(uncle.encode("full"))),
    ]);
    return this.#encoded;
  }

  /** Length of the full encoding in bytes. */
  get size(): number {
    return this.encode().length;
  }

  /** Hash of the uncle list in this block, which the header's field must equal. */
  get unclesHash(): Uint8Array {
    return unclesHash(this.uncles);
  }

  /** Own difficulty and that of the uncles in the list (`spec/02 §4.4`). */
  get cumulativeDifficulty(): bigint {
    return this.uncles.reduce((sum, uncle) => sum + uncle.difficultyValue, this.header.difficultyValue);
  }
}

/** Hash of a list of uncle headers: over full headers at every height. */
export function unclesHash(uncles: readonly BlockHeader[]): Uint8Array {
  return keccak256(encodeRlp(uncles.map((uncle) => new RawRlp(uncle.encode("full")))));
}

/**
 * Checks the lists of an encoded block against its header's roots, from the unchanged bytes (`spec/07 §D.8`). Bytes
 * that pass may still be undecodable or not canonical, which only {@link Block.decode} detects. Throws
 * {@link TypesError} `TRANSACTIONS_ROOT`, `UNCLES_HASH` or `BLOCK_MALFORMED`.
 */
export function checkRawBody(data: Uint8Array, header: BlockHeader, network: NetworkConfig): void {
  readingRlp("BLOCK_MALFORMED", () => {
    const [, transactions, uncles] = blockItems(data);
    const items = transactions.items.map(({ raw }) => raw);
    const root = rawTransactionsRoot(items, rulesAt(network, header.number));
    if (!equalBytes(root, header.transactionsRoot)) {
      throw new TypesError({ code: "TRANSACTIONS_ROOT", expected: header.transactionsRoot, actual: root });
    }
    const hash = keccak256(uncles.raw);
    if (!equalBytes(hash, header.unclesHash)) {
      throw new TypesError({ code: "UNCLES_HASH", expected: header.unclesHash, actual: hash });
    }
  });
}

/** Decodes the header of an encoded block, in separate memory. Throws {@link TypesError}. */
export function decodeBlockHeader(data: Uint8Array, network: NetworkConfig): BlockHeader {
  return readingRlp("BLOCK_MALFORMED", () => decodeOwnHeader(blockItems(data)[0], network));
}

function decodeOwnHeader(item: RlpItem, network: NetworkConfig): BlockHeader {
  return BlockHeader.decode(decodeRlpItem(item.raw.slice()), network);
}

/** Returns header, transactions and uncles of an encoded block. Throws {@link TypesError} or `RlpError`. */
export function blockItems(data: Uint8Array): readonly [header: RlpItem, transactions: RlpItem, uncles: RlpItem] {
  const [header, transactions, uncles, ...more] = decodeRlpList(data);
  if (header === undefined || transactions === undefined || uncles === undefined || more.length > 0) {
    throw new TypesError({ code: "BLOCK_SIZE", expected: 3, actual: decodeRlpList(data).length });
  }
  return [header, transactions, uncles];
}

/**
 * Decodes the transactions of a body, in order; the last one may be the reward transaction. Throws {@link TypesError}
 * only.
 */
export function decodeTransactions(list: RlpItem, network: NetworkConfig): Transaction[] {
  reportCodecWork("transactions");
  return readingRlp("BLOCK_MALFORMED", () => {
    const items = list.items;
    const transactions = items.map((item, i) => Transaction.decode(item, i === items.length - 1));
    return recogniseImpersonated(transactions, network);
  });
}

/**
 * Decodes one transaction of a body, without decoding the others, in separate memory; undefined beyond the end. Throws
 * {@link TypesError} only.
 */
export function decodeTransactionAt(list: RlpItem, index: number, network: NetworkConfig): Transaction | undefined {
  return readingRlp("BLOCK_MALFORMED", () => {
    const item = list.items[index];
    if (item === undefined) return undefined;
    // Copies the bytes: a view would keep the whole list in memory as long as the transaction.
    const { raw } = item;
    const own = allocateBytes(raw.length);
    own.set(raw);
    return recogniseImpersonated([Transaction.decode(decodeRlpItem(own), index === list.items.length - 1)], network)[0];
  });
}

/** Decodes the uncle headers of a body, each by the rules at its block number. Throws {@link TypesError} only. */
export function decodeUncles(list: RlpItem, network: NetworkConfig): BlockHeader[] {
  return readingRlp("BLOCK_MALFORMED", () => list.items.map((item) => BlockHeader.decode(item, network)));
}
