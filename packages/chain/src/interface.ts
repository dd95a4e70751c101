import type { NetworkConfig } from "@cambium/config";
import type { LocalCall, LocalCallOutcome, Tracer } from "@cambium/evm";
import type { AncestorReader, JournaledState, StateReader, StateView } from "@cambium/state";
import type { Block, BlockHeader, Log, Receipt, Transaction } from "@cambium/types";
import type { BlockExecution } from "./execution/block-executor.js";
import type { BlockFault } from "./faults.js";

/** Blocks that stopped and started being on the best chain, both ascending, without the common ancestor. */
export interface Reorganisation {
  commonAncestor: Uint8Array;
  removed: readonly Uint8Array[];
  added: readonly Uint8Array[];
}

/** Answer of `chain.import`, whatever the block's way in (`spec/02 §5.2`). */
export type ImportResult =
  | { kind: "imported-best"; reorganisation?: Reorganisation }
  | { kind: "imported-side" }
  | { kind: "already-known" }
  | { kind: "missing-parent" }
  | { kind: "invalid"; fault: BlockFault };

/** What listeners hear, after the block is on disk. A listener's failure is its own. */
export type ChainEvent =
  | { kind: "newHead"; block: Block; receipts: readonly Receipt[] }
  | { kind: "reorg"; reorganisation: Reorganisation; block: Block; receipts: readonly Receipt[] }
  | { kind: "sideBlock"; block: Block; receipts: readonly Receipt[] };

export interface BestBlock {
  header: BlockHeader;
  hash: Uint8Array;
  totalDifficulty: bigint;
}

/** A transaction of the best chain and where it stands. */
export interface TransactionLocation {
  transaction: Transaction;
  block: Block;
  index: number;
}

/** A log of the best chain and where it stands; `logIndex` counts over the whole block. */
export interface LogLocation {
  log: Log;
  blockHash: Uint8Array;
  blockNumber: number;
  transactionHash: Uint8Array;
  transactionIndex: number;
  logIndex: number;
}

/** A block's lists as RLP. */
export interface EncodedBody {
  transactions: Uint8Array;
  uncles: Uint8Array;
}

/** Both ends included. Each of `topics` is null (anything) or alternatives for that position. */
export interface LogQuery {
  fromBlock: number;
  toBlock: number;
  addresses?: readonly Uint8Array[];
  topics?: readonly (readonly Uint8Array[] | null)[];
}

/** Everything a reader of the chain needs. Never waits for an import; each call sees a complete block. */
export interface ChainReader {
  readonly network: NetworkConfig;
  readonly genesis: BlockHeader;
  best(): BestBlock;
  /** Any known block, best chain or not. */
  headerByHash(hash: Uint8Array): BlockHeader | undefined;
  blockByHash(hash: Uint8Array): Block | undefined;
  /** Best chain only. */
  headerByNumber(number: number): BlockHeader | undefined;
  blockByNumber(number: number): Block | undefined;
  hashByNumber(number: number): Uint8Array | undefined;
  isOnBestChain(hash: Uint8Array): boolean;
  /**
   * Number from which on the best chain is whole: 0, or more while the history below a snapshot is missing. Below it there
   * is nothing but genesis.
   */
  earliestBlock(): number;
  /** Number of the block whose state came as a snapshot, 0 for none: what is below it was not executed here. */
  snapshotBlock(): number;
  /** A known block as it travels: RLP, without decoding it. */
  encodedBlock(hash: Uint8Array): Uint8Array | undefined;
  /** RLP of a known block's list of transactions and list of uncles, without decoding them. */
  encodedBody(hash: Uint8Array): EncodedBody | undefined;
  /** Whether the block was remembered as one that can never be imported. */
  isKnownInvalid(hash: Uint8Array): boolean;
  totalDifficulty(hash: Uint8Array): bigint | undefined;
  /** Receipts in transaction order of any known block; empty for genesis, undefined up to the block of a snapshot. */
  receipts(hash: Uint8Array): readonly Receipt[] | undefined;
  findTransaction(hash: Uint8Array): TransactionLocation | undefined;
  /** State after a known block; undefined below the block of a snapshot. */
  stateAfter(hash: Uint8Array): StateView | undefined;
  /** The branch that ends in the given block, the block included. */
  ancestors(hash: Uint8Array): AncestorReader;
  /** Ascending by block and log index; lazily, so that the caller can stop. */
  logs(query: LogQuery): Iterable<LogLocation>;
  /** As {@link logs}, in one list for each block that was looked at, also where that has none: between two, time can be watched. */
  logsByBlock(query: LogQuery): Iterable<readonly LogLocation[]>;
  /**
   * Executes on the state after a known block, with that block's own number, time and rules; leaves no trace
   * (`spec/04 §2.6`, `spec/09 §8.2`). `prepare` changes the throw-away state first.
   */
  call(call: LocalCall, blockHash: Uint8Array, prepare?: (state: JournaledState) => void): LocalCallOutcome;
  /**
   * Executes a known block once more on its parent's state, with tracers for the transactions that are to be watched;
   * keeps nothing. `state` is the working state during the execution. Genesis has no execution. A block itself instead
   * of a hash need not be stored.
   */
  replay(
    block: Uint8Array | Block,
    tracerOf: (index: number, state: JournaledState) => Tracer | undefined,
  ): BlockExecution;
  /** Executes a block that is not stored, on the state after its parent, which is; keeps nothing (`spec/09 §5.1`). */
  executeCandidate(block: Block): ExecutedCandidate;
}

/** A block that might come next, with the state after it. Not to be held on to for long: it keeps a whole state alive. */
export interface ExecutedCandidate {
  readonly header: BlockHeader;
  readonly state: StateReader;
  /** As {@link ChainReader.call}, on the state after this block. */
  call(call: LocalCall, prepare?: (state: JournaledState) => void): LocalCallOutcome;
}
