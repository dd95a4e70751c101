import { type BlockId, type LogLocation, type LogQuery, TABLES } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { attachLevelDatabase, databasePath, readNumber } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import type { KeyedState } from "@cambium/state";
import { ENTRIES_PER_ANSWER, type ForkAnswerer, type ForkAnswers } from "./fork-messages.js";
import { StoredSource } from "./stored-source.js";

/** Tables of blocks with hashes as keys. */
const BY_BLOCK_HASH: ReadonlySet<number> = new Set([
  TABLES.headers,
  TABLES.transactions,
  TABLES.uncles,
  TABLES.outcomes,
  TABLES.receipts,
]);

/** Answers from the database of a stopped node, without writing to it. */
export class StoredAnswerer implements ForkAnswerer {
  private constructor(
    private readonly stored: StoredSource,
    private readonly state: KeyedState,
    private readonly number: number,
  ) {}

  /** Rejects with {@link ChainError} `FORK_SOURCE` if the state after the block cannot be read, or `DatabaseError`. */
  static async open(forked: NetworkConfig): Promise<StoredAnswerer> {
    const { fork, ...network } = forked;
    const { source, number } = fork!;
    const database = await attachLevelDatabase(databasePath(source));
    try {
      const stored = new StoredSource(database, network, source);
      return new StoredAnswerer(stored, requireState(stored, fork!), number);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Throws as {@link open} does. */
  after(block: BlockId): StoredAnswerer {
    return new StoredAnswerer(this.stored, requireState(this.stored, block), block.number);
  }

  async value(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.state.get(key);
  }

  async entries(
    prefix: Uint8Array | undefined,
    maxKeyBytes: number | undefined,
    skip: number,
  ): Promise<ForkAnswers["entries"]> {
    const some: ForkAnswers["entries"] = [];
    let index = 0;
    for (const { key, value } of this.state.entries(prefix, maxKeyBytes)) {
      if (index++ < skip) continue;
      some.push({ key, value });
      if (some.length === ENTRIES_PER_ANSWER) break;
    }
    return some;
  }

  async block(table: number, key: Uint8Array): Promise<Uint8Array | undefined> {
    const stored = this.stored.database.get(table, key);
    if (stored === undefined) return undefined;
    if (BY_BLOCK_HASH.has(table)) return this.isBelow(this.stored.header(key)?.number) ? stored : undefined;
    if (table === TABLES.bestChain) return this.isBelow(readNumber(key, 0)) ? stored : undefined;
    if (table === TABLES.transactionIndex) return this.isBelow(readNumber(stored, 0)) ? stored : undefined;
    return undefined;
  }

  async logs(query: LogQuery): Promise<LogLocation[]> {
    const { fromBlock, toBlock } = query;
    return this.stored.logs({ ...query, fromBlock: Math.max(fromBlock, 0), toBlock: Math.min(toBlock, this.number) });
  }

  private isBelow(number: number | undefined): boolean {
    return number !== undefined && number <= this.number;
  }
}

function requireState(stored: StoredSource, { number, hash }: BlockId): KeyedState {
  const state = stored.stateAfter(hash);
  if (state !== undefined) return state;
  throw stored.failure("state", `the database has no state of block ${number} with the hash ${toHex(hash)}`);
}
