import { type NetworkConfig, type Rules, rulesAt } from "@cambium/config";
import { decodeRlpList, encodeRlp, equalBytes, keccak256, RawRlp, type RlpItem } from "@cambium/primitives";
import { readingRlp, TypesError } from "./errors.js";
import { BlockHeader } from "./header.js";
import { transactionsRoot } from "./roots.js";
import { Transaction } from "./transaction.js";

/** A block: header, transactions and uncle headers (`spec/01 §3.1`). */
export class Block {
  #size: number | undefined;
  readonly #transactionsRoots: { new?: Uint8Array; old?: Uint8Array } = {};

  constructor(
    readonly header: BlockHeader,
    readonly transactions: readonly Transaction[],
    readonly uncles: readonly BlockHeader[],
  ) {}

  /**
   * Reads a block. A transactions root other than the header's makes it undecodable. Keeps views of `data`.
   * Throws {@link TypesError} only.
   */
  static decode(data: Uint8Array, network: NetworkConfig): Block {
    return readingRlp("BLOCK_MALFORMED", () => {
      const items = decodeRlpList(data);
      if (items.length !== 3) throw new TypesError({ code: "BLOCK_SIZE", expected: 3, actual: items.length });
      const header = BlockHeader.decode(items[0]!, network);
      const transactions = decodeTransactions(items[1]!);
      const block = new Block(header, transactions, decodeUncles(items[2]!, network));
      block.verifyTransactionsRoot(network);
      return block;
    });
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

  /** Root of the list of transactions, computed once; in the header's hands is {@link BlockHeader.transactionsRoot}. */
  transactionsRoot(rules: Rules): Uint8Array {
    const format = rules.rskip126 ? "new" : "old";
    this.#transactionsRoots[format] ??= transactionsRoot(this.transactions, rules);
    return this.#transactionsRoots[format];
  }

  /** Full encoding: storage and wire. */
  encode(): Uint8Array {
    return encodeRlp([
      new RawRlp(this.header.encode("full")),
      this.transactions.map((transaction) => new RawRlp(transaction.encoded)),
      this.uncles.map((uncle) => new RawRlp(uncle.encode("full"))),
    ]);
  }

  /** Bytes of the full encoding. */
  get size(): number {
    this.#size ??= this.encode().length;
    return this.#size;
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

/** Transactions of a body, in order; the last one may be the reward transaction. Throws {@link TypesError} only. */
export function decodeTransactions(list: RlpItem): Transaction[] {
  return readingRlp("BLOCK_MALFORMED", () => {
    const items = list.items;
    return items.map((item, i) => Transaction.decode(item, i === items.length - 1));
  });
}

/** Uncle headers of a body, each read by the rules of its own number. Throws {@link TypesError} only. */
export function decodeUncles(list: RlpItem, network: NetworkConfig): BlockHeader[] {
  return readingRlp("BLOCK_MALFORMED", () => list.items.map((item) => BlockHeader.decode(item, network)));
}
