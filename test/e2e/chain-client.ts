/** Responses as the libraries parse them, in a common form: lower-case hex, numbers, bigints. */
export interface SeenBlock {
  number: number;
  hash: string;
  parentHash: string;
  stateRoot: string;
  receiptsRoot: string;
  gasUsed: bigint;
  gasLimit: bigint;
  timestamp: number;
  miner: string;
  difficulty: bigint;
  transactions: string[];
}

export interface SeenTransaction {
  hash: string;
  blockHash: string;
  blockNumber: number;
  index: number;
  from: string;
  /**
   * The hash computed from the members that the library read. Undefined if libraries cannot know the encoding: that of
   * the unsigned reward transaction, and of a zero gas price, which this chain encodes as one byte.
   */
  recomputedHash: string | undefined;
}

export interface SeenLog {
  address: string;
  topics: string[];
  data: string;
  blockNumber: number;
  blockHash: string;
  transactionHash: string;
  transactionIndex: number;
  logIndex: number;
}

export interface SeenReceipt {
  transactionHash: string;
  blockHash: string;
  index: number;
  gasUsed: bigint;
  cumulativeGasUsed: bigint;
  succeeded: boolean;
  logsBloom: string;
  contractAddress: string | null;
  logs: SeenLog[];
}

/** Outcome of a call: its output, the payload of a revert, or another failure. */
export type SeenCall = { output: string } | { reverted: string } | { failed: true };

export interface LogSearch {
  fromBlock: number;
  toBlock: number;
  address?: string;
  topic?: string;
}

export interface CallRequest {
  from: string;
  to: string;
  data: string;
  gas: number;
  blockNumber: number;
}

/** A client library in its default configuration, except for the address. */
export interface ChainClient {
  readonly library: string;
  chainId(): Promise<number>;
  blockNumber(): Promise<number>;
  /** Returns a block by number or hash, with full transactions. */
  block(at: number | string): Promise<SeenBlock | null>;
  transaction(hash: string): Promise<SeenTransaction | null>;
  receipt(hash: string): Promise<SeenReceipt | null>;
  logs(search: LogSearch): Promise<SeenLog[]>;
  balance(address: string): Promise<bigint>;
  nonce(address: string): Promise<number>;
  /** Returns the code; `0x` if there is none. */
  code(address: string): Promise<string>;
  storage(address: string, slot: string): Promise<string>;
  call(request: CallRequest): Promise<SeenCall>;
  /** Calls a method for which the library has no function. */
  request(method: string, params: unknown[]): Promise<unknown>;
  close(): void;
}
