import type { EncodedBody, LocatedReceipt, LogLocation, LogQuery, Reorganisation } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { LocalCall, LocalCallOutcome, Tracer } from "@cambium/evm";
import type { AncestorReader, ExecutingBlock, JournaledState, StateView, WorldState } from "@cambium/state";
import type { Block, BlockHeader, Receipt, Transaction } from "@cambium/types";
import type { BlockExecution } from "./execution/block-executor.js";
import type { BlockFault } from "./faults.js";
import type { BlockSource } from "./import/block-input.js";

/** Result of `chain.import` (`spec/02 §5.2`). */
export type ImportResult =
  | { kind: "imported-best"; reorganisation?: Reorganisation }
  | { kind: "imported-side" }
  | { kind: "already-known" }
  | { kind: "missing-parent" }
  | { kind: "invalid"; fault: BlockFault };

/**
 * A stored block. Header, body and receipts may be decoded only when a listener first reads them. A listener must read
 * them before it returns, because a local network can delete its blocks.
 */
export interface StoredBlock {
  readonly hash: Uint8Array;
  readonly number: number;
  readonly source: BlockSource;
  readonly header: BlockHeader;
  readonly block: Block;
  readonly receipts: readonly Receipt[];
}

/**
 * Emitted after the block is on disk; by a `LocalChain`, after it can be read from it. A listener that throws affects
 * neither the chain nor other listeners.
 */
export type ChainEvent =
  | (StoredBlock & { readonly kind: "newHead" })
  | (StoredBlock & { readonly kind: "reorg"; readonly reorganisation: Reorganisation })
  | (StoredBlock & { readonly kind: "sideBlock" });

export interface BestBlock {
  header: BlockHeader;
  hash: Uint8Array;
  totalDifficulty: bigint;
}

/** A transaction of the best chain and its position. */
export interface TransactionLocation {
  transaction: Transaction;
  /** Header of its block. */
  header: BlockHeader;
  index: number;
}

/**
 * Numbers of the blocks of the best chain that changed an account's nonce or balance. Throws {@link ChainError}
 * `STATE_UNAVAILABLE` if the stored states do not reach that far.
 */
export interface AccountChanges {
  /** Returns the last block up to `number`; undefined if there is none. */
  lastUpTo(number: number): number | undefined;
  /** The first block above `number`. */
  firstAbove(number: number): number | undefined;
}

/** Read access to the chain. Never waits for an import; every call sees only complete blocks. */
export interface ChainReader {
  readonly network: NetworkConfig;
  readonly genesis: BlockHeader;
  best(): BestBlock;
  /** Header of any known block, on the best chain or not. */
  headerByHash(hash: Uint8Array): BlockHeader | undefined;
  blockByHash(hash: Uint8Array): Block | undefined;
  /** Header of the block of the best chain. */
  headerByNumber(number: number): BlockHeader | undefined;
  blockByNumber(number: number): Block | undefined;
  hashByNumber(number: number): Uint8Array | undefined;
  /** Hashes of all known blocks with a number, on the best chain or not, in order of arrival. */
  hashesByNumber(number: number): readonly Uint8Array[];
  isOnBestChain(hash: Uint8Array): boolean;
  /**
   * Number of the lowest block from which the best chain is complete: 0, or higher while the history below a snapshot
   * is missing, or if old blocks were dropped. Below it, only genesis is available, and the headers of dropped blocks:
   * reading the rest of these throws {@link ChainError} `BLOCK_PRUNED`.
   */
  earliestBlock(): number;
  /** Number of the snapshot's block, 0 if there is none. This node has not executed this block or those below it. */
  snapshotBlock(): number;
  /** Network encoding (RLP) of a known block, without decoding it. */
  encodedBlock(hash: Uint8Array): Uint8Array | undefined;
  /** RLP of a known block's list of transactions and list of uncles, without decoding them. */
  encodedBody(hash: Uint8Array): EncodedBody | undefined;
  /** Whether the block was recorded as permanently invalid. */
  isKnownInvalid(hash: Uint8Array): boolean;
  totalDifficulty(hash: Uint8Array): bigint | undefined;
  /** Receipts of any known block in transaction order; empty for genesis, undefined up to the snapshot's block. */
  receipts(hash: Uint8Array): readonly Receipt[] | undefined;
  /** One of {@link receipts}: for a caller that does not need the others. */
  receipt(hash: Uint8Array, index: number): LocatedReceipt | undefined;
  findTransaction(hash: Uint8Array): TransactionLocation | undefined;
  /** State after a known block; undefined below the snapshot's block. */
  stateAfter(hash: Uint8Array): StateView | undefined;
  /** Undefined if it is not stored which block changed an account. */
  accountChanges(address: Uint8Array): AccountChanges | undefined;
  /** The branch that ends with the given block. */
  ancestors(hash: Uint8Array): AncestorReader;
  /**
   * Matching logs, ascending by block and log index; read lazily, so that the caller can stop. Throws
   * {@link ChainError} `BLOCK_PRUNED` if blocks of the range are not stored.
   */
  logs(query: LogQuery): Iterable<LogLocation>;
  /**
   * Works like {@link logs}, but yields one list, possibly empty, for each block searched, so that the caller can check
   * the time.
   */
  logsByBlock(query: LogQuery): Iterable<readonly LogLocation[]>;
  /**
   * Executes a call on the state after a known block, with that block's number, time and rules, without changing
   * anything (`spec/04 §2.6`, `spec/09 §8.2`). `prepare` can modify the temporary state first.
   */
  call(call: LocalCall, blockHash: Uint8Array, prepare?: (state: JournaledState) => void): LocalCallOutcome;
  /**
   * Re-executes a known block on its parent's state with tracers for selected transactions; stores nothing. `state` is
   * the working state during the execution. A block that is passed instead of a hash need not be stored. Genesis cannot
   * be replayed. `observe` may wrap the working state; the block is executed on the result.
   */
  replay(
    block: Uint8Array | Block,
    tracerOf: (index: number, state: JournaledState) => Tracer | undefined,
    observe?: StateObserver,
  ): BlockExecution;
  /** Opens the state after a known block for calls that build on each other. */
  openSimulation(blockHash: Uint8Array): Simulation;
  /** Opens the state before a transaction of a stored block, by executing those ahead of it. */
  openTransaction(block: Block, index: number): Simulation;
  /**
   * Opens a block that was executed elsewhere and is not stored; its parent must be. `stateChanges` are its changes to
   * the parent's state, encoded by `packChanges`.
   */
  openCandidate(header: BlockHeader, stateChanges: Uint8Array): ExecutedCandidate;
}

/** A possible next block with the state after it. Do not retain it: all nodes that it has read stay in memory. */
export interface ExecutedCandidate {
  readonly header: BlockHeader;
  readonly state: StateView;
  /** Works like {@link ChainReader.call}, on the state after this block. */
  call(call: LocalCall, prepare?: (state: JournaledState) => void): LocalCallOutcome;
  /** Works like {@link ChainReader.openSimulation}, on the state after this block. */
  openSimulation(): Simulation;
}

/** Wraps a working state, to observe reads and writes. The wrapper must behave like the state. */
export type StateObserver = (state: JournaledState) => WorldState;

/** Calls that are executed as unsigned transactions, each on the state that those before it left. */
export interface Simulation {
  /** The working state, which the caller may change between calls. */
  readonly state: JournaledState;
  /** Block that calls see: the one after which the simulation starts. */
  readonly block: ExecutingBlock;
  /**
   * Executes a call in a block with the effects of a transaction; checks neither nonce nor balance. Throws
   * `TransactionRejected` if it cannot start.
   */
  execute(call: LocalCall, block: ExecutingBlock, tracer?: Tracer, observed?: WorldState): LocalCallOutcome;
}
