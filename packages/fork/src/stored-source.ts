import {
  ChainError,
  ChainStore,
  FACTS,
  type LogLocation,
  type LogQuery,
  openStates,
  type StoredStates,
  searchLogs,
  TABLES,
} from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import type { KeyedState } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";

/** The chain of a stopped node, read from its database; the genesis block may be any. */
export class StoredSource {
  readonly store: ChainStore;
  private readonly states: StoredStates;

  /** `source` is the folder for messages. Throws {@link ChainError} `FORK_SOURCE`. */
  constructor(
    readonly database: Database,
    network: NetworkConfig,
    readonly source: string,
  ) {
    this.store = new ChainStore(database, network);
    const hash = database.get(TABLES.facts, FACTS.genesis);
    const genesis = hash && this.store.header(hash);
    if (genesis === undefined) throw this.failure("database", "there is no chain of this network in it");
    if (genesis.number !== 0) throw this.failure("database", "it is the chain of a fork itself");
    this.states = openStates(this.store.states, undefined);
  }

  /** Returns the header of a known block, on the best chain or not. */
  header(hash: Uint8Array): BlockHeader | undefined {
    return this.store.outcome(hash) && this.store.header(hash);
  }

  /** Returns the state after a known block; undefined if it is not stored. */
  stateAfter(hash: Uint8Array): KeyedState | undefined {
    const outcome = this.store.outcome(hash);
    const header = outcome && this.store.header(hash);
    return header && this.states.after({ number: header.number, hash }, outcome!);
  }

  /** Returns matching logs of a range within the chain. */
  logs(query: LogQuery): LogLocation[] {
    return [...searchLogs(this.database, this.store, query)].flat();
  }

  failure(what: string, reason: string): ChainError {
    return new ChainError({ code: "FORK_SOURCE", source: this.source, what, reason });
  }
}
