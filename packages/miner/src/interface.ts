import type { BlockInput, ChainEvent, ChainReader, ImportResult, KnownExecution } from "@cambium/chain";
import type { StateEdit } from "@cambium/contracts";
import type { BlockHeader, Transaction } from "@cambium/types";
import type { ChosenFields, NextBlocks } from "./templates/next-blocks.js";

/** A pool whose pending and queued transactions can be cleared; local networks only. */
export interface ClearablePool {
  clear(): void;
}

/** The transaction pool as block building sees it. */
export interface PendingTransactionSource {
  /** Pending transactions in the order for a block, with ascending nonces for each sender (`spec/08 §8`). */
  ordered(): readonly Transaction[];
  /** Removes transactions that can never be in a block. `reason` is passed to the pool's listeners. */
  evict(hashes: readonly Uint8Array[], reason: "unusable"): void;
}

/** An unexpected error while a pending transaction was executed: a fault of this program, not of the transaction. */
export interface TransactionFault {
  hash: Uint8Array;
  /** Text and stack of the error. */
  reason: string;
}

/** The chain as block building sees it. */
export interface BuildingChain extends ChainReader {
  /** All known blocks with a number, on any chain. */
  hashesByNumber(number: number): readonly Uint8Array[];
}

/** The chain as mining sees it: `Chain` of `@cambium/chain`, or a proxy for one in another thread. */
export interface MiningChain extends BuildingChain {
  import(input: BlockInput): Promise<ImportResult>;
  on(listener: (event: ChainEvent) => void): () => void;
}

/** A chain that can be rewound; local networks only. */
export interface RewindableChain extends MiningChain {
  /** Makes a block of the best chain the best block, and deletes all later ones. */
  rewind(hash: Uint8Array): Promise<void>;
  /** Prepares for a rewind to the best block, so that its duration hardly depends on the number of blocks. */
  prepareRewind?(): void;
}

/** A block without its proof of work. */
export interface BlockTemplate {
  /** Complete except for the merged-mining fields. */
  readonly header: BlockHeader;
  readonly transactions: readonly Transaction[];
  readonly uncles: readonly BlockHeader[];
  /** Hash that the parent-chain coinbase must contain after the tag, 32 bytes; identifies the template. */
  readonly hashForMergedMining: Uint8Array;
  /** Maximum parent-chain block hash of a solution. */
  readonly target: bigint;
  /**
   * Execution result for the import of the solved block in this process; undefined if the block must be executed. Do
   * not retain it: it keeps many nodes of the state in memory.
   */
  readonly execution?: KnownExecution | undefined;
}

/** Options for building a block. */
export interface BuildRequest {
  /** Block to build on; the best one by default. */
  parentHash?: Uint8Array;
  /** Shift of the timestamp in seconds. */
  adjustment?: number;
  chosen?: ChosenFields;
  /** Transactions of the block; by default those of the pool. */
  transactions?: readonly Transaction[];
}

/** Builds block templates, in the calling thread or in another one. */
export interface TemplateBuilder {
  /** Coinbase of the blocks, 20 bytes. */
  readonly rewardAddress: Uint8Array;
  /**
   * Builds a block on the requested parent, filled from the pool; transactions that can never be in a block are evicted
   * from the pool. Fails with `MinerError` `UNKNOWN_PARENT`, or with `ThreadError` if the builder's thread ended. After
   * the signal aborts, the result is unused and the build may fail with any error.
   */
  build(request: BuildRequest, signal?: AbortSignal): BlockTemplate | Promise<BlockTemplate>;
}

/** Result of `mnr_getWork` (`spec/03 §7.2`). */
export interface Work {
  readonly hashForMergedMining: Uint8Array;
  readonly target: bigint;
  /** Wei. */
  readonly feesPaidToMiner: bigint;
  /**
   * True once per template that is worth switching to: another parent, or considerably higher fees (`spec/03 §6.6`).
   */
  readonly notify: boolean;
  readonly parentBlockHash: Uint8Array;
}

/** `mnr_submitParentChainBlockTransactions` (`spec/03 §7.3`). */
export interface TransactionsSubmission {
  /** Parent-chain header; bytes after the first 80 are ignored. */
  header: Uint8Array;
  /** Coinbase of the parent block, with or without witness. */
  coinbase: Uint8Array;
  /** Ids of all transactions of the parent block in *display* order, the coinbase first. */
  transactionIds: readonly Uint8Array[];
}

/** `mnr_submitParentChainBlockPartialMerkle` (`spec/03 §7.3`). */
export interface PartialMerkleSubmission {
  header: Uint8Array;
  coinbase: Uint8Array;
  /** Coinbase id, then its siblings from the leaf level up, in *internal* order. */
  merkleHashes: readonly Uint8Array[];
  /** Number of transactions in the parent block; used before RSKIP-92 only. */
  transactionCount: number;
}

/** Outcome of a solution with a valid proof; `result` shows whether the chain imported the block. */
export interface SubmittedBlock {
  readonly result: ImportResult;
  readonly hash: Uint8Array;
  readonly number: number;
}

/** `[hash for merged mining, Merkle root, target]` of `eth_getWork` (`spec/03 §8.5`). */
export interface EthWork {
  /** Identifies the template in `eth_submitWork`, 32 bytes. */
  readonly headerHash: Uint8Array;
  /** Id of the canonical coinbase in internal order: the Merkle root of a parent block without other transactions. */
  readonly merkleRoot: Uint8Array;
  readonly target: bigint;
}

/**
 * Serves block templates and accepts solutions. Templates are built one at a time, when the chain or the pool changes,
 * never within a request. A new best block aborts a build on an earlier one. A server that builds on request does so in
 * {@link MinerServerApi.upToDate} only. All methods that accept solutions reject with `MinerError`: `RATE_LIMITED`,
 * `UNKNOWN_WORK`, `INVALID_PROOF`, `MALFORMED`, `MERKLE_HASHES_EMPTY`. Methods that serve templates throw `NO_WORK`
 * while the server is stopped.
 */
export interface MinerServerApi {
  readonly isRunning: boolean;
  /** Coinbase of the blocks; `eth_coinbase`. */
  readonly rewardAddress: Uint8Array;
  /**
   * Resolves after the first template is built, or has failed to build. Resolves immediately if templates are built on
   * request. Never rejects.
   */
  start(): Promise<void>;
  stop(): void;
  /** Notifies of new pending transactions. After a delay a template is built, and served if it pays. */
  transactionsChanged(): void;
  /**
   * Resolves when there is work on the best block, or no build of it is in progress: immediately unless the best block
   * is new. Call this before clients get work.
   */
  upToDate(): Promise<void>;
  /** Clears the `notify` of the current work. */
  getWork(): Work;
  /**
   * Calls the listener with new work as soon as it is served, until the returned function is called. While there are
   * listeners, templates are always built ahead of requests.
   */
  onWork(listener: (work: Work) => void): () => void;
  /**
   * Accepts solutions of a template that another node served, or this node before a restart. The template is encoded as
   * a block without a solution. The latest sixty are kept. Returns the hash for merged mining. Throws `MALFORMED`.
   */
  remember(template: Uint8Array): Uint8Array;
  /** A whole parent-chain block: header, count, transactions. */
  submitBlock(block: Uint8Array): Promise<SubmittedBlock>;
  submitTransactions(submission: TransactionsSubmission): Promise<SubmittedBlock>;
  submitPartialMerkle(submission: PartialMerkleSubmission): Promise<SubmittedBlock>;
  /** `eth_getWork`. Does not clear `notify`. */
  ethWork(): EthWork;
  /**
   * `eth_submitWork`: 8 bytes (time and nonce), 32 bytes, and 32 bytes in display order. False for an unknown template,
   * a wrong digest, an invalid proof, or a block that the chain did not import. Rejects with `RATE_LIMITED` or
   * `MALFORMED`.
   */
  ethSubmit(nonce: Uint8Array, headerHash: Uint8Array, mixDigest: Uint8Array): Promise<boolean>;
  /** `eth_submitHashrate`: hashes per second of an external miner by its 32-byte id; expires after ten seconds. */
  submitHashrate(rate: bigint, id: Uint8Array): void;
  /** `eth_hashrate`: the reported rates of external miners, otherwise an estimate from own blocks of the last hour. */
  hashrate(): bigint;
  /** `eth_netHashrate`: an estimate from all blocks of the last hour. */
  netHashrate(): bigint;
}

/** Trigger of the built-in miner: a request, every transaction, or an interval in milliseconds. */
export type LocalMiningMode = { kind: "on-demand" } | { kind: "automatic" } | { kind: "interval"; interval: number };

/** Several blocks to mine in one call. */
export interface MiningOrder {
  count: number;
  /** Seconds between two of the blocks; undefined: determined by the clock and the rules. */
  interval?: number;
  /** Whether to stop, checked before each block. */
  isAbandoned?: () => boolean;
}

/**
 * The built-in miner of local networks: the `evm_…` methods (`spec/03 §8.2`, `§8.3`) and further functions of
 * development tools.
 */
export interface LocalMinerApi {
  readonly mode: LocalMiningMode;
  /** Settings of development tools for the next blocks. */
  readonly next: NextBlocks;
  /** `eth_mining`. */
  readonly isMining: boolean;
  startMining(): void;
  stopMining(): void;
  /** Notifies of new pending transactions, which automatic mode mines. */
  transactionsChanged(): void;
  /**
   * Resolves when all blocks requested so far are mined. In automatic mode, callers that sent a transaction await it.
   */
  idle(): Promise<void>;
  /** Mines one block with the pending transactions on the best block. Rejects with `MinerError` `NOT_MINED`. */
  mine(): Promise<SubmittedBlock>;
  /** Mines several blocks, the first of them with the pending transactions. Rejects with `MinerError` `NOT_MINED`. */
  mineBlocks(order: MiningOrder): Promise<void>;
  /**
   * Sets the gas limit or the minimum gas price in wei of all further blocks, and mines a block without transactions
   * that has it. Rejects with `MinerError` `NOT_MINED`, or `GAS_LIMIT` if no block can have it.
   */
  setGasLimit(limit: bigint): Promise<void>;
  setMinimumGasPrice(price: bigint): Promise<void>;
  /**
   * Changes the state by blocks that contain only edits, in their order. Rejects with `MinerError` `NOT_MINED` or
   * `NOT_EDITED`.
   */
  editState(edits: readonly StateEdit[]): Promise<void>;
  /** Whether every transaction is mined immediately, in addition to blocks at intervals. */
  setAutomatic(isAutomatic: boolean): void;
  /** Mines at intervals in milliseconds; 0 ends it. */
  setInterval(milliseconds: number): void;
  /**
   * Advances the clock of the next mined block by seconds; zero and negative values have no effect. Returns the total
   * shift.
   */
  increaseTime(seconds: number): number;
  /** Takes a snapshot of the current height; returns its id, counted from 1. */
  snapshot(): number;
  /**
   * Reverts to a snapshot and discards later ones. Discards the snapshot itself unless it `isKept`, as in the deployed
   * client. False for an unknown id.
   */
  revert(id: number, isKept?: boolean): Promise<boolean>;
  /**
   * Removes the last blocks. If there are lists of transactions, mines one new block for each list. Rejects with
   * `MinerError` `DEPTH` if there are fewer blocks, or `NOT_MINED`.
   */
  rollback(depth: number, replacements?: readonly (readonly Transaction[])[]): Promise<void>;
  /** Reverts to genesis and discards all snapshots. */
  reset(): Promise<void>;
}
