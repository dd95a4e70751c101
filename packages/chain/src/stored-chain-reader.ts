import {
  type BlockCache,
  Branch,
  ChainError,
  ChainStore,
  type EncodedBody,
  FACTS,
  type LocatedReceipt,
  type LogLocation,
  type LogQuery,
  numberFact,
  openStates,
  readTrust,
  type StoredStates,
  searchLogs,
  TABLES,
  type Trust,
} from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { KeyValueReader } from "@cambium/database";
import type { Evm, LocalCall, LocalCallOutcome, Tracer } from "@cambium/evm";
import { ForkedBlocks, ForkedStates, type ForkSource, forkSource } from "@cambium/fork";
import { equalBytes } from "@cambium/primitives";
import { accountKey, JournaledState, KeyedStateView, unpackChanges } from "@cambium/state";
import type { NodeCache } from "@cambium/trie";
import type { Block, BlockHeader, Receipt } from "@cambium/types";
import { type BlockExecution, executeBlock, executingBlock } from "./execution/block-executor.js";
import { CandidateState } from "./execution/candidate-state.js";
import { StateSimulation } from "./execution/state-simulation.js";
import type {
  AccountChanges,
  BestBlock,
  ChainReader,
  Simulation,
  StateObserver,
  TransactionLocation,
} from "./interface.js";

/** The parts that readers of the same database share. */
export interface ReaderParts {
  network: NetworkConfig;
  genesis: BlockHeader;
  evm: Evm;
  blocks?: BlockCache;
  nodes?: NodeCache;
}

/** Reads a chain from its database, in which blocks appear atomically. Any number of readers may run during imports. */
export class StoredChainReader implements ChainReader {
  readonly network: NetworkConfig;
  readonly genesis: BlockHeader;
  protected readonly evm: Evm;
  /** Blocks and states below the start of a fork; undefined if the chain begins with its genesis block. */
  protected readonly fork: ForkSource | undefined;
  private readonly onDisk: ChainStore;
  private readonly states: StoredStates;
  private latest: BestBlock | undefined;

  constructor(
    private readonly database: KeyValueReader,
    parts: ReaderParts,
  ) {
    this.network = parts.network;
    this.genesis = parts.genesis;
    this.evm = parts.evm;
    this.fork = forkSource(parts.network);
    const known = this.fork === undefined ? database : new ForkedBlocks(database, this.fork, true);
    this.onDisk = new ChainStore(known, parts.network, parts.blocks);
    const states = openStates(this.onDisk.states, parts.nodes);
    this.states = this.fork === undefined ? states : new ForkedStates(states, this.fork);
  }

  best(): BestBlock {
    const hash = this.onDisk.bestHash();
    if (hash === undefined) throw damaged("best block", this.genesis.hash);
    if (this.latest === undefined || !equalBytes(this.latest.hash, hash)) this.latest = this.describe(hash);
    return this.latest;
  }

  protected describe(hash: Uint8Array): BestBlock {
    const header = this.onDisk.header(hash);
    const outcome = this.onDisk.outcome(hash);
    if (header === undefined || outcome === undefined) throw damaged("best block", hash);
    return { header, hash, totalDifficulty: outcome.totalDifficulty };
  }

  headerByHash(hash: Uint8Array): BlockHeader | undefined {
    return this.onDisk.outcome(hash) === undefined ? undefined : this.onDisk.header(hash);
  }

  blockByHash(hash: Uint8Array): Block | undefined {
    return this.onDisk.outcome(hash) === undefined ? undefined : this.unlessPruned(hash, this.onDisk.block(hash));
  }

  headerByNumber(number: number): BlockHeader | undefined {
    const hash = this.hashByNumber(number);
    return hash === undefined ? undefined : this.onDisk.header(hash);
  }

  blockByNumber(number: number): Block | undefined {
    const hash = this.hashByNumber(number);
    return hash === undefined ? undefined : this.unlessPruned(hash, this.onDisk.block(hash));
  }

  /** Throws {@link ChainError} `BLOCK_PRUNED` if a part of a known block is missing because the block was dropped. */
  private unlessPruned<T>(hash: Uint8Array, part: T | undefined): T | undefined {
    const header = part === undefined ? this.onDisk.header(hash) : undefined;
    if (header !== undefined) this.onDisk.requireUnpruned(header.number);
    return part;
  }

  hashByNumber(number: number): Uint8Array | undefined {
    return Number.isSafeInteger(number) && number >= 0 ? this.onDisk.hashAt(number) : undefined;
  }

  /** Hashes of all known blocks with a number, on the best chain or not, in order of arrival. */
  hashesByNumber(number: number): readonly Uint8Array[] {
    return Number.isSafeInteger(number) && number >= 0 ? this.onDisk.hashesAt(number) : [];
  }

  isOnBestChain(hash: Uint8Array): boolean {
    const header = this.headerByHash(hash);
    const best = header === undefined ? undefined : this.hashByNumber(header.number);
    return best !== undefined && equalBytes(best, hash);
  }

  earliestBlock(): number {
    return this.fork === undefined ? (numberFact(this.database, FACTS.earliest) ?? 0) : 0;
  }

  snapshotBlock(): number {
    return numberFact(this.database, FACTS.snapshot) ?? 0;
  }

  trust(): Trust {
    return readTrust(this.database);
  }

  encodedBlock(hash: Uint8Array): Uint8Array | undefined {
    return this.onDisk.encodedBlock(hash);
  }

  encodedBody(hash: Uint8Array): EncodedBody | undefined {
    return this.onDisk.encodedBody(hash);
  }

  isKnownInvalid(hash: Uint8Array): boolean {
    return this.database.get(TABLES.invalidBlocks, hash) !== undefined;
  }

  totalDifficulty(hash: Uint8Array): bigint | undefined {
    return this.onDisk.outcome(hash)?.totalDifficulty;
  }

  receipts(hash: Uint8Array): readonly Receipt[] | undefined {
    return this.onDisk.outcome(hash) === undefined ? undefined : this.unlessPruned(hash, this.onDisk.receipts(hash));
  }

  receipt(hash: Uint8Array, index: number): LocatedReceipt | undefined {
    if (this.onDisk.outcome(hash) === undefined) return undefined;
    return this.unlessPruned(hash, this.onDisk.receipt(hash, index));
  }

  findTransaction(hash: Uint8Array): TransactionLocation | undefined {
    const position = this.onDisk.transactionPosition(hash);
    const header = position && this.headerByNumber(position.number);
    const transaction = header && this.onDisk.transaction(header, position!.index);
    if (transaction === undefined || !equalBytes(transaction.hash, hash)) return undefined;
    return { transaction, header: header!, index: position!.index };
  }

  stateAfter(hash: Uint8Array): KeyedStateView | undefined {
    const outcome = this.onDisk.outcome(hash);
    const header = outcome && this.onDisk.header(hash);
    const state = header && this.states.after({ number: header.number, hash }, outcome!);
    return state && new KeyedStateView(state);
  }

  accountChanges(address: Uint8Array): AccountChanges | undefined {
    const { changes } = this.states;
    if (changes === undefined) return undefined;
    const key = accountKey(address);
    return {
      lastUpTo: (number) => changes.lastChangeUpTo(key, number),
      firstAbove: (number) => changes.firstChangeAbove(key, number),
    };
  }

  /** Throws {@link ChainError} `UNKNOWN_BLOCK`. */
  ancestors(hash: Uint8Array): Branch {
    const tip = this.headerByHash(hash);
    if (tip === undefined) throw new ChainError({ code: "UNKNOWN_BLOCK", hash });
    return new Branch(this.onDisk, { get: (number) => this.headerByNumber(number) }, tip);
  }

  *logs(query: LogQuery): Generator<LogLocation> {
    for (const found of this.logsByBlock(query)) yield* found;
  }

  *logsByBlock(query: LogQuery): Generator<readonly LogLocation[]> {
    const toBlock = Math.min(query.toBlock, this.best().header.number);
    const bounded = { ...query, toBlock, fromBlock: Math.max(query.fromBlock, 0) };
    if (this.fork !== undefined && bounded.fromBlock <= this.fork.fork.number) {
      yield this.fork.logs({ ...bounded, toBlock: Math.min(toBlock, this.fork.fork.number) });
      bounded.fromBlock = this.fork.fork.number + 1;
    }
    const lowest = Math.max(bounded.fromBlock, 1);
    if (lowest <= toBlock) this.onDisk.requireUnpruned(lowest);
    yield* searchLogs(this.database, this.onDisk, bounded);
    // Blocks of the range may have been dropped during the search.
    if (lowest <= toBlock) this.onDisk.requireUnpruned(lowest);
  }

  /**
   * Executes a call within the block, on the state after it (`spec/09 §8.2`). Throws `UNKNOWN_BLOCK`,
   * `TransactionRejected`.
   */
  call(call: LocalCall, blockHash: Uint8Array, prepare?: (state: JournaledState) => void): LocalCallOutcome {
    const header = this.headerByHash(blockHash);
    const state = this.stateAfter(blockHash);
    if (header === undefined || state === undefined) throw new ChainError({ code: "UNKNOWN_BLOCK", hash: blockHash });
    const parent = this.ancestors(header.number === 0 ? blockHash : header.parentHash);
    const working = new JournaledState(state);
    prepare?.(working);
    return this.evm.call(call, executingBlock(header, parent), working);
  }

  /** Throws {@link ChainError} `UNKNOWN_BLOCK` if the block or its parent is unknown, or if it is genesis. */
  replay(
    which: Uint8Array | Block,
    tracerOf: (index: number, state: JournaledState) => Tracer | undefined,
    observe: StateObserver = (state) => state,
  ): BlockExecution {
    const block = which instanceof Uint8Array ? this.blockByHash(which) : which;
    const parentState = block === undefined ? undefined : this.stateAfter(block.header.parentHash);
    if (block === undefined || parentState === undefined) {
      throw new ChainError({ code: "UNKNOWN_BLOCK", hash: which instanceof Uint8Array ? which : which.hash });
    }
    const { network, evm } = this;
    const working = new JournaledState(parentState);
    const state = observe(working);
    const ancestors = this.ancestors(block.header.parentHash);
    return executeBlock({ block, state, evm, network, ancestors, tracerOf: (index) => tracerOf(index, working) });
  }

  /** Throws {@link ChainError} `UNKNOWN_BLOCK` if the block or its state is unknown. */
  openSimulation(blockHash: Uint8Array): Simulation {
    const header = this.headerByHash(blockHash);
    const state = this.stateAfter(blockHash);
    if (header === undefined || state === undefined) throw new ChainError({ code: "UNKNOWN_BLOCK", hash: blockHash });
    const parent = this.ancestors(header.number === 0 ? blockHash : header.parentHash);
    return new StateSimulation(new JournaledState(state), executingBlock(header, parent), this.evm);
  }

  /**
   * Opens the state before a transaction of a stored block, by executing those ahead of it. Throws {@link ChainError}
   * `UNKNOWN_BLOCK` as {@link replay} does, or if the block has no such transaction.
   */
  openTransaction(block: Block, index: number): Simulation {
    const { hash, header } = block;
    const reached = new Error("the state before the transaction");
    let state: JournaledState | undefined;
    try {
      this.replay(block, (next, working) => {
        if (next !== index) return undefined;
        state = working;
        throw reached;
      });
    } catch (error) {
      if (error !== reached) throw error;
    }
    if (state === undefined) throw new ChainError({ code: "UNKNOWN_BLOCK", hash });
    return new StateSimulation(state, executingBlock(header, this.ancestors(header.parentHash)), this.evm);
  }

  /** Throws {@link ChainError} `UNKNOWN_BLOCK` if the parent or its state is unknown. */
  openCandidate(header: BlockHeader, stateChanges: Uint8Array): CandidateState {
    const { parentHash } = header;
    const parent = this.stateAfter(parentHash);
    if (parent === undefined) throw new ChainError({ code: "UNKNOWN_BLOCK", hash: parentHash });
    const state = new KeyedStateView(parent.state.after(unpackChanges(stateChanges)));
    return new CandidateState(header, state, executingBlock(header, this.ancestors(parentHash)), this.evm);
  }
}

function damaged(what: string, key: Uint8Array): ChainError {
  return new ChainError({ code: "DATABASE_DAMAGED", what, key });
}
