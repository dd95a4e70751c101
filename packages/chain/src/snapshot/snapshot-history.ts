import {
  adoptWrites,
  ChainError,
  ChainStore,
  contentWrites,
  FACTS,
  NO_STATE,
  numberFact,
  TABLES,
  type WeighedBlock,
} from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { type Database, numberKey, type Write } from "@cambium/database";
import { append, equalBytes, toHex } from "@cambium/primitives";
import type { Block } from "@cambium/types";

/**
 * The parent with its total difficulty, from the child's (`spec/02 §4.4`). Throws {@link ChainError} `SNAPSHOT_BLOCK`.
 */
export function weighParent(child: Block, { totalDifficulty }: WeighedBlock): WeighedBlock {
  const parent = {
    number: child.number - 1,
    hash: child.header.parentHash,
    totalDifficulty: totalDifficulty - child.cumulativeDifficulty,
  };
  if (parent.number < 0 || parent.totalDifficulty <= 0n)
    throw refused(child, "total difficulty is lower than its own difficulty");
  return parent;
}

/**
 * Verifies that a block is the expected one: hash, transactions and uncles. Its state cannot be verified.
 * Throws {@link ChainError} `SNAPSHOT_BLOCK` if it is not.
 */
export function checkContent(block: Block, expected: WeighedBlock, network: NetworkConfig): void {
  if (!equalBytes(block.hash, expected.hash)) throw refused(block, `expected block ${toHex(expected.hash)}`);
  if (block.number !== expected.number) throw refused(block, `number is ${block.number}, expected ${expected.number}`);
  if (!equalBytes(block.unclesHash, block.header.unclesHash))
    throw refused(block, "uncles do not match the uncles hash of the header");
  block.verifyTransactionsRoot(network);
}

export function refused({ hash, number }: Block, reason: string): ChainError {
  return new ChainError({ code: "SNAPSHOT_BLOCK", number, hash, reason });
}

/**
 * Extends a chain that started from a snapshot backwards, block by block, to genesis. May write concurrently with an
 * importing chain, since they have no blocks in common.
 */
export class SnapshotHistory {
  private readonly store: ChainStore;
  private lowest: WeighedBlock | undefined;

  constructor(
    private readonly database: Database,
    private readonly network: NetworkConfig,
  ) {
    this.store = new ChainStore(database, network);
  }

  /**
   * The next block to download; undefined if the chain is complete, or the blocks below were dropped. Throws
   * {@link ChainError} `DATABASE_DAMAGED`.
   */
  next(): WeighedBlock | undefined {
    const number = numberFact(this.database, FACTS.earliest);
    if (number === undefined || (number > 1 && this.store.hashAt(number - 1) !== undefined)) return undefined;
    if (this.lowest?.number !== number - 1) {
      const hash = this.store.hashAt(number);
      const block = hash && this.store.block(hash);
      const outcome = hash && this.store.outcome(hash);
      if (block === undefined || outcome === undefined) {
        throw new ChainError({ code: "DATABASE_DAMAGED", what: "earliest block", key: numberKey(number) });
      }
      this.lowest = weighParent(block, { number, hash: block.hash, totalDifficulty: outcome.totalDifficulty });
    }
    return this.lowest;
  }

  /**
   * Stores consecutive ancestors of the earliest block, in descending order, in one batch. Rejects with {@link
   * ChainError} `SNAPSHOT_BLOCK` (or a `TypesError`) if a block is not the expected one, and with `HISTORY_MISMATCH` if
   * the chain does not start with this network's genesis block and difficulty: then the snapshot itself was invalid.
   */
  async add(blocks: readonly Block[]): Promise<void> {
    const writes: Write[] = [];
    let expected = this.next();
    for (const block of blocks) {
      if (expected === undefined || expected.number === 0) break;
      checkContent(block, expected, this.network);
      const { totalDifficulty } = expected;
      append(writes, contentWrites(block));
      append(writes, this.store.outcomeWrites(block.header, { stateRoot: NO_STATE, totalDifficulty }));
      append(writes, adoptWrites(block));
      expected = weighParent(block, expected);
    }
    if (expected === undefined) return;
    writes.push(earliestWrite(expected, this.store));
    await this.database.write(writes);
    this.lowest = expected;
  }
}

/**
 * Records that the chain is complete down to the child of `parent`, or entirely if `parent` is genesis. Throws
 * {@link ChainError} `HISTORY_MISMATCH` if genesis or its difficulty differ.
 */
export function earliestWrite(parent: WeighedBlock, store: ChainStore): Write {
  if (parent.number > 0) return { table: TABLES.facts, key: FACTS.earliest, value: numberKey(parent.number + 1) };
  checkGenesis(parent, store);
  return { table: TABLES.facts, key: FACTS.earliest, value: undefined };
}

function checkGenesis({ hash, totalDifficulty }: WeighedBlock, store: ChainStore): void {
  const genesis = store.hashAt(0)!;
  const expected = store.outcome(genesis)!.totalDifficulty;
  if (equalBytes(hash, genesis) && totalDifficulty === expected) return;
  throw new ChainError({
    code: "HISTORY_MISMATCH",
    number: 0,
    hash: { expected: genesis, actual: hash },
    totalDifficulty: { expected, least: totalDifficulty, most: totalDifficulty },
  });
}
