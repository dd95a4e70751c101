import type { NetworkConfig } from "@cambium/config";
import { attachLevelDatabase, type Database, readNumber } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import type { KeyedState } from "@cambium/state";
import { ChainError } from "../errors.js";
import { createChainEvm } from "../execution/native-contracts.js";
import type { LogLocation, LogQuery } from "../interface.js";
import { databasePath } from "../paths.js";
import type { BlockId } from "../state/stored-states.js";
import { ChainStore } from "../store/chain-store.js";
import { StoredChainReader } from "../store/reader.js";
import { FACTS, TABLES } from "../store/tables.js";
import { ENTRIES_PER_ANSWER, type ForkAnswerer, type ForkAnswers } from "./fork-messages.js";

/** Tables of blocks whose keys are hashes. */
const BY_BLOCK_HASH: ReadonlySet<number> = new Set([
  TABLES.headers,
  TABLES.transactions,
  TABLES.uncles,
  TABLES.outcomes,
  TABLES.receipts,
]);

/** Answers from the database of a stopped node, to which it writes nothing. */
export class StoredAnswerer implements ForkAnswerer {
  private constructor(
    private readonly source: string,
    private readonly database: Database,
    private readonly reader: StoredChainReader,
    private readonly state: KeyedState,
    private readonly number: number,
  ) {}

  /** Rejects with {@link ChainError} `FORK_SOURCE` if the state after the block cannot be read, or `DatabaseError`. */
  static async open(forked: NetworkConfig): Promise<StoredAnswerer> {
    const { fork, ...network } = forked;
    const { source, number } = fork!;
    const database = await attachLevelDatabase(databasePath(source));
    const reader = openStoredSource(database, network, source);
    try {
      return new StoredAnswerer(source, database, reader, requireState(reader, source, fork!), number);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Throws as {@link open} does. */
  after(block: BlockId): StoredAnswerer {
    const { source, database, reader } = this;
    return new StoredAnswerer(source, database, reader, requireState(reader, source, block), block.number);
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
    const stored = this.database.get(table, key);
    if (stored === undefined) return undefined;
    if (BY_BLOCK_HASH.has(table)) return this.isBelow(this.reader.headerByHash(key)?.number) ? stored : undefined;
    if (table === TABLES.bestChain) return this.isBelow(readNumber(key, 0)) ? stored : undefined;
    if (table === TABLES.transactionIndex) return this.isBelow(readNumber(stored, 0)) ? stored : undefined;
    return undefined;
  }

  async logs(query: LogQuery): Promise<LogLocation[]> {
    return [...this.reader.logs({ ...query, toBlock: Math.min(query.toBlock, this.number) })];
  }

  private isBelow(number: number | undefined): boolean {
    return number !== undefined && number <= this.number;
  }
}

function requireState(reader: StoredChainReader, source: string, { number, hash }: BlockId): KeyedState {
  const state = reader.stateAfter(hash)?.state;
  if (state !== undefined) return state;
  const reason = `the database has no state of block ${number} with the hash ${toHex(hash)}`;
  throw new ChainError({ code: "FORK_SOURCE", source, what: "state", reason });
}

/** A reader of the database of a node, whatever its genesis block is. Throws {@link ChainError} `FORK_SOURCE`. */
export function openStoredSource(database: Database, network: NetworkConfig, source: string): StoredChainReader {
  const hash = database.get(TABLES.facts, FACTS.genesis);
  const genesis = hash && new ChainStore(database, network).header(hash);
  if (genesis === undefined || genesis.number !== 0) {
    const reason =
      genesis === undefined ? "there is no chain of this network in it" : "it is the chain of a fork itself";
    throw new ChainError({ code: "FORK_SOURCE", source, what: "database", reason });
  }
  return new StoredChainReader(database, { network, genesis, evm: createChainEvm(network) });
}
