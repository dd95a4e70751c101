import type { ChainEvent, ChainReader, ImportResult } from "@cambium/chain";
import type { Block, BlockHeader, Transaction } from "@cambium/types";

/** A pool that can be emptied, pending and queued ones alike: local networks only. */
export interface ClearablePool {
  clear(): void;
}

/** The transaction pool as block building sees it. */
export interface PendingTransactionSource {
  /** In the order in which they should enter a block: each sender's nonces ascending (`spec/08 §8`). */
  ordered(): readonly Transaction[];
  /** Takes out what can never be in a block. `reason` is for the pool's records. */
  evict(hashes: readonly Uint8Array[], reason: string): void;
}

/** The chain as mining sees it; `Chain` of `@cambium/chain` is one, and so can be a proxy of one in another thread. */
export interface MiningChain extends ChainReader {
  /** All known blocks with a number, on the best chain or not. */
  hashesByNumber(number: number): readonly Uint8Array[];
  import(block: Block): Promise<ImportResult>;
  on(listener: (event: ChainEvent) => void): () => void;
}

/** A chain whose best block can be set back: local networks only. */
export interface RewindableChain extends MiningChain {
  /** Makes a block of the best chain the best one and deletes every block above it. */
  rewind(hash: Uint8Array): Promise<void>;
}

/** A block without its proof of work. */
export interface BlockTemplate {
  /** Without merged-mining fields; everything else is final. */
  readonly header: BlockHeader;
  readonly transactions: readonly Transaction[];
  readonly uncles: readonly BlockHeader[];
  /** What a parent-chain coinbase must carry after the tag, 32 bytes; key of the template. */
  readonly hashForMergedMining: Uint8Array;
  /** Highest parent-chain hash that solves it. */
  readonly target: bigint;
}

/** How one block differs from the next one on the best chain. */
export interface BuildRequest {
  /** Block to build on; the best one by default. */
  parentHash?: Uint8Array;
  /** Shift of the timestamp in seconds. */
  adjustment?: number;
}

/** Builds block templates, in this thread or in another one. */
export interface TemplateBuilder {
  /** Coinbase of the blocks, 20 bytes. */
  readonly rewardAddress: Uint8Array;
  /**
   * A block on the given one, filled from the pool; transactions that turn out to be unusable are evicted from the pool.
   * Fails with `MinerError` `UNKNOWN_PARENT`, or with `ThreadError` if the thread that builds ended. Once the signal aborts
   * the result is of no use, and the build may end early with any error.
   */
  build(request: BuildRequest, signal?: AbortSignal): BlockTemplate | Promise<BlockTemplate>;
}

/** What miners are given: `mnr_getWork` (`spec/03 §7.2`). */
export interface Work {
  readonly hashForMergedMining: Uint8Array;
  readonly target: bigint;
  /** Wei. */
  readonly feesPaidToMiner: bigint;
  /** True once for work that is worth switching to: another parent, or notably higher fees (`spec/03 §6.6`). */
  readonly notify: boolean;
  readonly parentBlockHash: Uint8Array;
}

/** `mnr_submitParentChainBlockTransactions` (`spec/03 §7.3`). */
export interface TransactionsSubmission {
  /** Parent-chain header; bytes after the first 80 do not count. */
  header: Uint8Array;
  /** With or without witness. */
  coinbase: Uint8Array;
  /** All ids of the parent block in *display* order, the coinbase's first. */
  transactionIds: readonly Uint8Array[];
}

/** `mnr_submitParentChainBlockPartialMerkle` (`spec/03 §7.3`). */
export interface PartialMerkleSubmission {
  header: Uint8Array;
  coinbase: Uint8Array;
  /** Coinbase id, then its siblings from the leaf level up, in *internal* order. */
  merkleHashes: readonly Uint8Array[];
  /** Number of transactions of the parent block; only of use before RSKIP-92. */
  transactionCount: number;
}

/** Fate of a solution whose proof is good: whether the chain took the block is for `result` to say. */
export interface SubmittedBlock {
  readonly result: ImportResult;
  readonly hash: Uint8Array;
  readonly number: number;
}

/** `[hash for merged mining, Merkle root, target]` of `eth_getWork` (`spec/03 §8.5`). */
export interface EthWork {
  /** 32 bytes; what `eth_submitWork` names the template by. */
  readonly headerHash: Uint8Array;
  /** Id of the canonical coinbase, internal order: the Merkle root of a parent block without other transactions. */
  readonly merkleRoot: Uint8Array;
  readonly target: bigint;
}

/**
 * Gives out work and takes solutions. Work is built when the chain or the pool changes, never inside of a request, one
 * template at a time; a new best block abandons the template that is being built on an earlier one. All
 * methods that take solutions reject with `MinerError`: `RATE_LIMITED`, `UNKNOWN_WORK`, `INVALID_PROOF`, `MALFORMED`,
 * `MERKLE_HASHES_EMPTY`; the ones that give out work throw `NO_WORK` while the server is stopped.
 */
export interface MinerServerApi {
  readonly isRunning: boolean;
  /** Coinbase of the blocks; `eth_coinbase`. */
  readonly rewardAddress: Uint8Array;
  /** Resolves when there is work, or when none could be built. Never rejects. */
  start(): Promise<void>;
  stop(): void;
  /** There are new pending transactions: builds again after a while, and gives that out if it pays. */
  transactionsChanged(): void;
  /** Clears the `notify` of the current work. */
  getWork(): Work;
  /** A whole parent-chain block: header, count, transactions. */
  submitBlock(block: Uint8Array): Promise<SubmittedBlock>;
  submitTransactions(submission: TransactionsSubmission): Promise<SubmittedBlock>;
  submitPartialMerkle(submission: PartialMerkleSubmission): Promise<SubmittedBlock>;
  /** `eth_getWork`. Leaves `notify` alone. */
  ethWork(): EthWork;
  /**
   * `eth_submitWork`: 8 bytes (time and nonce), 32, 32 in display order. False for unknown work, a wrong digest, a bad
   * proof and a block that the chain did not take. Rejects with `RATE_LIMITED` or `MALFORMED`.
   */
  ethSubmit(nonce: Uint8Array, headerHash: Uint8Array, mixDigest: Uint8Array): Promise<boolean>;
  /** `eth_submitHashrate`: hashes a second of an external miner, by its 32-byte id; forgotten after ten seconds. */
  submitHashrate(rate: bigint, id: Uint8Array): void;
  /** `eth_hashrate`: what external miners reported, otherwise what own blocks of the last hour say. */
  hashrate(): bigint;
  /** `eth_netHashrate`: what all blocks of the last hour say. */
  netHashrate(): bigint;
}

/** When the built-in miner makes blocks. `interval` in milliseconds. */
export type LocalMiningMode = { kind: "on-demand" } | { kind: "automatic" } | { kind: "interval"; interval: number };

/** The built-in miner of local networks: the `evm_…` methods (`spec/03 §8.2`, `§8.3`). */
export interface LocalMinerApi {
  readonly mode: LocalMiningMode;
  /** `eth_mining`. */
  readonly isMining: boolean;
  startMining(): void;
  stopMining(): void;
  /** There are new pending transactions: in automatic mode they are mined. */
  transactionsChanged(): void;
  /** Resolves when everything that was asked for until now has been mined; what the automatic mode's callers wait for. */
  idle(): Promise<void>;
  /** One block on the present best block, with what is pending now. Rejects with `MinerError` `NOT_MINED`. */
  mine(): Promise<SubmittedBlock>;
  /**
   * Shifts the clock of the next block that is mined, in seconds; zero and negative values change nothing. Returns the
   * total shift.
   */
  increaseTime(seconds: number): number;
  /** Remembers the height; returns the number of remembered ones, which is the id. */
  snapshot(): number;
  /** Back to a remembered height; later snapshots are forgotten. False for an unknown id. */
  revert(id: number): Promise<boolean>;
  /** Back to genesis; all snapshots are forgotten. */
  reset(): Promise<void>;
}
