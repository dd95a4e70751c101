/** What JSON-RPC returns, as far as the pages show it. */

export type Quantity = string;
export type Hex = `0x${string}`;

export interface Block {
  number: Quantity;
  hash: Hex;
  parentHash: Hex;
  miner: Hex;
  timestamp: Quantity;
  gasLimit: Quantity;
  gasUsed: Quantity;
  difficulty: Quantity;
  totalDifficulty: Quantity;
  minimumGasPrice: Quantity;
  paidFees: Quantity;
  size: Quantity;
  extraData: Hex;
  stateRoot: Hex;
  receiptsRoot: Hex;
  transactionsRoot: Hex;
  hashForMergedMining?: Hex;
  parentChainMergedMiningHeader?: Hex;
  parentChainMergedMiningCoinbaseTransaction?: Hex;
  /** Hashes. */
  transactions: readonly Hex[];
  uncles: readonly Hex[];
}

export interface Transaction {
  hash: Hex;
  blockHash: Hex | null;
  blockNumber: Quantity | null;
  transactionIndex: Quantity | null;
  from: Hex;
  to: Hex | null;
  value: Quantity;
  gas: Quantity;
  gasPrice: Quantity;
  nonce: Quantity;
  input: Hex;
}

export interface Log {
  address: Hex;
  topics: readonly Hex[];
  data: Hex;
  logIndex: Quantity;
  transactionHash: Hex;
  blockNumber: Quantity;
}

export interface Receipt {
  status: Quantity;
  gasUsed: Quantity;
  cumulativeGasUsed: Quantity;
  contractAddress: Hex | null;
  logs: readonly Log[];
}

/** One entry of `trace_transaction`. */
export interface Trace {
  type: "call" | "create" | "suicide" | "reward";
  action: {
    callType?: string;
    from?: Hex;
    to?: Hex;
    value?: Quantity;
    gas?: Quantity;
    input?: Hex;
    init?: Hex;
    address?: Hex;
    refundAddress?: Hex;
    balance?: Quantity;
  };
  result?: { gasUsed?: Quantity; output?: Hex; address?: Hex } | null;
  error?: string;
  traceAddress: readonly number[];
}

export interface SyncProgress {
  startingBlock: Quantity;
  currentBlock: Quantity;
  highestBlock: Quantity;
}

export interface ConnectedPeer {
  id: string;
  scoringId: string | null;
  wire: "libp2p" | "rlpx";
  address: string;
  direction: "inbound" | "outbound";
  trusted: boolean;
  client: string;
  bestNumber: number;
  bestHash: Hex;
  totalDifficulty: Quantity;
}
