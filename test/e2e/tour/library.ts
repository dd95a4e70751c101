/** A mined call of the counter's `add`, as a library reports it. */
export interface SeenAddition {
  hash: string;
  blockNumber: number;
  succeeded: boolean;
  /** The values in the logs of its receipt. */
  totals: bigint[];
}

/** Notifications received since the start, in order of arrival. */
export interface Watch {
  heads: number[];
  /** Totals in the counter's logs. */
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

/** How a client receives changes: by polling filters over HTTP, or by notifications over WebSocket. */
export type Channel = "filters" | "subscriptions";

/** A client library in its usual configuration, with the key of one account. Addresses and hashes are lower-case. */
export interface Library {
  /** Deploys the counter contract with the library's ABI parser, waits, and returns the address. */
  deploy(): Promise<string>;
  /** Calls `add` in a transaction and waits. */
  add(counter: string, amount: number): Promise<SeenAddition>;
  /** Sends an `add` that reverts, with an explicit gas limit; rejects with the library's error. */
  addInVain(counter: string, amount: number): Promise<unknown>;
  total(counter: string): Promise<bigint>;
  /** Totals in logs of the counter, from the first block. */
  pastTotals(counter: string): Promise<bigint[]>;
  /** Sends coins and waits; returns the transaction's hash. */
  send(to: string, value: bigint): Promise<string>;
  /** Balances, requested in one batch. */
  balances(addresses: readonly string[]): Promise<bigint[]>;
  proof(address: string, slots: readonly bigint[]): Promise<SeenProof>;
  /** Resolves once the filters or subscriptions are installed. */
  watch(counter: string, channel: Channel): Promise<Watch>;
  close(): Promise<void>;
}

/** Addresses of a node, and the signing key. */
export interface LibraryOptions {
  url: string;
  wsUrl: string;
  privateKey: string;
}

/** Milliseconds between two requests of polling clients. */
export const POLLING_INTERVAL = 50;
