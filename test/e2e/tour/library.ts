/** What a library makes of a mined call of the counter's `add`. */
export interface SeenAddition {
  hash: string;
  blockNumber: number;
  succeeded: boolean;
  /** What the logs in its receipt say. */
  totals: bigint[];
}

/** Notifications since the start, in order of arrival. */
export interface Watch {
  heads: number[];
  /** Of the counter's logs. */
  totals: bigint[];
  /** Hashes of transactions. */
  pending: string[];
  stop(): Promise<void>;
}

export interface SeenProof {
  balance: bigint;
  nonce: number;
  accountProof: string[];
  storageProof: { key: bigint; value: bigint; proof: string[] }[];
}

/** How a client learns of changes: by polling filters over HTTP, or by notifications over WebSocket. */
export type Hearing = "filters" | "subscriptions";

/** A client library as its users use it, with the key of one account. Addresses and hashes are lower-case. */
export interface Library {
  /** Deploys the counter contract with its parser of ABIs, waits, and answers the address. */
  deploy(): Promise<string>;
  /** Calls `add`, as a transaction, and waits. */
  add(counter: string, amount: number): Promise<SeenAddition>;
  /** Rejects with what the library says of an `add` that reverts, with a gas limit of the caller's own. */
  addInVain(counter: string, amount: number): Promise<unknown>;
  total(counter: string): Promise<bigint>;
  /** Totals in logs of the counter, from the first block. */
  pastTotals(counter: string): Promise<bigint[]>;
  /** Sends coins and waits; answers the transaction's hash. */
  send(to: string, value: bigint): Promise<string>;
  /** Balances, asked for in one batch. */
  balances(addresses: readonly string[]): Promise<bigint[]>;
  proof(address: string, slots: readonly bigint[]): Promise<SeenProof>;
  /** Resolves once the filters or subscriptions are installed. */
  watch(counter: string, hearing: Hearing): Promise<Watch>;
  close(): Promise<void>;
}

/** Where a node serves, and whose key signs. */
export interface LibraryOptions {
  url: string;
  wsUrl: string;
  privateKey: string;
}

/** Milliseconds between two requests of polling clients. */
export const POLLING_INTERVAL = 50;
