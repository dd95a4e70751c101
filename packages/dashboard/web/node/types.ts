/** Results of JSON-RPC, as far as the pages show them. */

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

/** A call as `callTracer` of `debug_traceTransaction` shows it. */
export interface CallFrame {
  type: string;
  from: Hex;
  to?: Hex;
  value?: Quantity;
  gas: Quantity;
  gasUsed?: Quantity;
  input?: Hex;
  output?: Hex;
  error?: string;
  revertReason?: string;
  calls?: readonly CallFrame[];
}

/** Result of `net_readiness`. */
export interface Readiness {
  ready: boolean;
  reasons: readonly string[];
  state:
    | "failed"
    | "snapshot"
    | "starting"
    | "no-writer"
    | "no-peers"
    | "synchronising"
    | "behind"
    | "stalled"
    | "alone"
    | "synchronised";
  remedy: string | null;
  block: number;
  target: number;
  blockAge: number | null;
  progress: number | null;
  blocksPerSecond: number;
  timeLeft: number | null;
  peers?: number;
  /** Basis of trust in the chain, in words. */
  trust: string;
}

export type Transport = "connecting" | "websocket" | "polling" | "offline" | "needs key";

/** Connection of the page to the node, and its state. */
export interface Connection {
  transport: Transport;
  /** Undefined until the node has answered, or if it does not have the method. */
  readiness: Readiness | undefined;
  /** The error that the node answers with; undefined if it answers as it should. */
  problem: string | undefined;
  /** Milliseconds since 1970; undefined if it never answered. */
  lastAnswer: number | undefined;
  chainId: number | undefined;
}

export interface NodeStatus {
  uptime: number;
  memory: { resident: number; available: number; heapUsed: number; heapLimit: number };
  disk: { free: number; size: number } | null;
  submissions: { accepted: number; refused: number };
  trust: string;
}

export interface PeerScoring {
  id: string;
  type: "node" | "address";
  peer?: string;
  score: number;
  punishments: number;
  goodReputation: boolean;
  punishedUntil: number;
  validBlocks: number;
  invalidBlocks: number;
  validTransactions: number;
  invalidTransactions: number;
  timeoutMessages: number;
}
