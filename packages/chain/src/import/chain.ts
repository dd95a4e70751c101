import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type BlockCache,
  type BlockHistoryOptions,
  type Branch,
  ChainError,
  ChainStore,
  type FlatStateOptions,
  internalFault,
  type Reorganisation,
  type RewoundBlocks,
  TABLES,
} from "@cambium/chain-store";
import { type Database, DatabaseError, type Write, WriteQueue } from "@cambium/database";
import { ForkedBlocks } from "@cambium/fork";
import { append, EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { KeyedStateView } from "@cambium/state";
import type { NodeCache } from "@cambium/trie";
import { type Block, type BlockHeader, TypesError } from "@cambium/types";
import { BlockError, type BlockFault } from "../faults.js";
import type { ChainEvent, ImportResult, StoredBlock } from "../interface.js";
import type { ValidationProfile } from "../rules/validation.js";
import { SNAPSHOT_SERVING } from "../snapshot/serving.js";
import { type ReaderParts, StoredChainReader } from "../stored-chain-reader.js";
import { BackgroundPruning } from "./background-pruning.js";
import { BestChain } from "./best-chain.js";
import { BlockGathering } from "./block-gathering.js";
import { type BlockInput, blockOf } from "./block-input.js";
import { type BlockResults, type ValidationParts, validateBlock } from "./block-validation.js";
import { type ChainListener, ChainListeners } from "./chain-listeners.js";
import { isBetter } from "./fork-choice.js";
import { countImport, IMPORT_TIME, measureStage, REORGANISATION_DEPTH } from "./measurements.js";
import { reorganisation } from "./reorganisation.js";
import { required } from "./required.js";
import { Rewinder } from "./rewinder.js";
import { storedBlock } from "./stored-block.js";

export interface ChainParts extends ReaderParts {
  database: Database;
  /** The same database, if blocks can be hidden in it: {@link Chain.rewind} then need not wait for their deletion. */
  rewound?: RewoundBlocks;
  blocks: BlockCache;
  /** Decoded nodes of the newest states. */
  importNodes: NodeCache;
  flatState: FlatStateOptions;
  blockHistory: BlockHistoryOptions;
  profile: ValidationProfile;
  now: () => number;
  /** Called if a listener throws. */
  onListenerError: (error: unknown, event: ChainEvent) => void;
}

/** A validated block: the result for the caller once `written` resolves. */
interface Connection {
  result: ImportResult;
  written?: Promise<void>;
  event?: ChainEvent;
}

/**
 * A chain in a database: imports blocks and provides read access. Blocks are imported one after the other; the next one
 * may execute while the last one is being written.
 */
export class Chain extends StoredChainReader {
  private readonly queue: WriteQueue;
  private readonly held: Database;
  /** Stored data and pending writes. */
  private readonly store: ChainStore;
  private readonly listeners: ChainListeners;
  private readonly judgeParts: ValidationParts;
  /** Tip, states and recent headers of the best chain. */
  private readonly bestChain: BestChain;
  private readonly rewinder: Rewinder;
  private readonly pruning: BackgroundPruning;
  private turn: Promise<unknown> = Promise.resolve();
  private readonly gathering = new BlockGathering();
  private tidying: Promise<void> = Promise.resolve();
  private closed = false;

  /** Use `openChain`: the database must hold a genesis block. */
  constructor(parts: ChainParts) {
    super(parts.database, parts);
    this.held = parts.database;
    this.queue = new WriteQueue(parts.database, { hashTable: TABLES.stateNodes });
    const { fork, queue } = this;
    const stored = fork === undefined ? queue : new ForkedBlocks(queue, fork, false);
    const { network, evm, profile, now, blocks, importNodes: nodes, flatState, rewound } = parts;
    const store = new ChainStore(stored, network, blocks);
    this.store = store;
    this.judgeParts = { network, evm, profile, now };
    const listeners = new ChainListeners(parts.onListenerError);
    this.listeners = listeners;
    const { header, hash } = this.best();
    this.bestChain = new BestChain(
      { store, local: queue, fork, nodes, flatState },
      { header, ...store.outcome(hash)! },
    );
    const emit = (event: ChainEvent) => listeners.emit(event);
    this.rewinder = new Rewinder({ network, queue, store, blocks, bestChain: this.bestChain, rewound, emit });
    this.pruning = new BackgroundPruning(queue, store, network, parts.blockHistory);
    this.pruning.run(header.number);
  }

  /** Calls `listener` for every block stored from now on, in order; returns a function that removes the listener. */
  on(listener: ChainListener): () => void {
    return this.listeners.add(listener);
  }

  /**
   * Imports a block, which is decoded when its turn comes. Calls may overlap; blocks are imported in the order of the
   * calls. When the result says that a block is known or imported, the block can be read, and listeners have been
   * notified of it. Never rejects because of the block, only if the chain itself fails: {@link ChainError}
   * `DATABASE_DAMAGED`, `CLOSED` or `INTERNAL_FAULT`, `DatabaseError` `DATABASE_WRITE`.
   */
  async import(input: BlockInput): Promise<ImportResult> {
    if (this.closed) throw new ChainError({ code: "CLOSED" });
    this.gathering.waiting++;
    const connecting = this.turn.then(() => this.connect(input));
    this.turn = connecting.catch(() => undefined);
    const { result, begun, written, event } = await connecting;
    if (written !== undefined) {
      const start = performance.now();
      await written;
      measureStage("write", start);
    }
    IMPORT_TIME.observe((performance.now() - begun) / 1_000);
    countImport(result.kind);
    if (event !== undefined) this.listeners.emit(event);
    return result;
  }

  /**
   * Makes a block of the best chain the best block and deletes every block above it, in order with imports; for local
   * networks, which can be reverted (`spec/03 §8.3`).
   *
   * Listeners are notified of a reorganisation without added blocks, while the removed ones can still be read. The
   * removed blocks are deleted once `notified` resolves. With {@link ChainParts.rewound}, they are no longer known when
   * this resolves, and are deleted in the background. Rejects with {@link ChainError} `UNKNOWN_BLOCK` if the block is
   * not on the best chain.
   */
  async rewind(hash: Uint8Array, notified: () => Promise<void> = async () => undefined): Promise<void> {
    if (this.closed) throw new ChainError({ code: "CLOSED" });
    const moving = this.turn.then(() => this.rewinder.rewind(hash, notified));
    this.turn = moving.catch((error: unknown) => {
      if (!(error instanceof ChainError && error.code === "UNKNOWN_BLOCK")) this.bestChain.forget();
    });
    await moving;
  }

  /** Resolves when no blocks are left that {@link rewind} has removed. */
  protected deleted(): Promise<void> {
    return this.rewinder.deleted();
  }

  /**
   * Notes the best block, so that a rewind to it need not read the changes of each block above it. Call this before
   * such blocks are imported.
   */
  prepareRewind(): void {
    this.bestChain.states.mark();
  }

  /**
   * Records permanently that a block is invalid, so that neither it nor its descendants are validated again. Only for
   * blocks whose header has proof of work, which bounds their number.
   */
  async rememberInvalid(hash: Uint8Array): Promise<void> {
    await this.held.write([{ table: TABLES.invalidBlocks, key: hash, value: EMPTY_BYTES }]);
  }

  /**
   * Applies to the stored trie the changes since it was written, after a kill, in order with imports. Stores it if
   * other threads could not read the newest one. The next import reports a failure.
   */
  async catchUp(): Promise<void> {
    const catching = this.turn.then(async () => {
      const writes = this.bestChain.states.catchUp();
      if (writes.length > 0) await this.queue.append(writes);
    });
    this.turn = catching.catch(() => this.bestChain.forget());
    await this.turn;
  }

  /** Waits for imports in flight and closes the database. */
  async close(): Promise<void> {
    this.closed = true;
    await this.turn;
    await this.tidying;
    await this.pruning.close();
    await this.deleted();
    const last = this.bestChain.close();
    if (last.length > 0) await this.queue.append(last).catch(() => undefined);
    await this.queue.idle().catch(() => undefined);
    await this.held.close();
  }

  /** Removes data that states no longer need, in the background. The next import reports a failure to write. */
  private tidy(): void {
    const remove = async () => {
      const { states } = this.bestChain;
      for await (const removal of states.garbage(this.held)) {
        // After an error, another state writer replaces this one; only it knows what is stored.
        if (this.closed || !this.bestChain.uses(states)) return;
        const writes = removal();
        if (writes.length > 0) await this.queue.append(writes);
      }
    };
    this.tidying = this.tidying.then(remove).catch(() => undefined);
  }

  private async connect(input: BlockInput): Promise<Connection & { begun: number }> {
    this.gathering.waiting--;
    await this.queue.room();
    // An import is mostly synchronous: let pending I/O and timers run.
    await nextTurn();
    const begun = performance.now();
    let block: Block | undefined;
    try {
      block = blockOf(input, this.network);
      measureStage("decode", begun);
      return { begun, ...this.place(block, input) };
    } catch (error) {
      const fault = faultOf(error, block);
      if (fault !== undefined) return { begun, result: { kind: "invalid", fault } };
      this.bestChain.forget();
      throw error instanceof ChainError || error instanceof DatabaseError ? error : internalFault(error, block);
    }
  }

  /** `spec/02 §5.2`. */
  private place(block: Block, { source, execution: known }: BlockInput): Connection {
    const { header } = block;
    const { bestChain } = this;
    if (header.number <= bestChain.highest && this.store.outcome(header.hash) !== undefined) {
      return { result: { kind: "already-known" }, written: this.queue.written() };
    }
    const parent = this.store.header(header.parentHash);
    const outcome = this.store.outcome(header.parentHash);
    const stateAtParent = parent && outcome && bestChain.stateAfter(parent, outcome);
    // The state of a block below a snapshot or the history is not stored, so its children cannot be executed.
    if (parent === undefined || outcome === undefined || stateAtParent === undefined) {
      if (equalBytes(header.parentHash, bestChain.tip.header.hash))
        required(undefined, "best block", header.parentHash);
      return { result: { kind: "missing-parent" } };
    }
    const isExtension = equalBytes(header.parentHash, bestChain.tip.header.hash);
    // A reorganisation reads the blocks that it removes.
    if (!isExtension && header.number < this.pruning.oldest) return { result: { kind: "missing-parent" } };
    const branch = bestChain.branch(parent);
    const results = validateBlock({ block, parent, stateAtParent, branch, known }, this.judgeParts);
    const totalDifficulty = outcome.totalDifficulty + block.cumulativeDifficulty;
    return this.accept(storedBlock(block, results.receipts, source), results, totalDifficulty);
  }

  /**
   * Returns the state after a stored block, as the import reads it, for a caller that builds a block on it: the import
   * of that block then need not read it again. Use it before the next `await`. Undefined if it cannot be read.
   */
  stateToBuildOn(hash: Uint8Array): KeyedStateView | undefined {
    const header = this.store.header(hash);
    const outcome = this.store.outcome(hash);
    const state = header && outcome && this.bestChain.stateAfter(header, outcome);
    return state && new KeyedStateView(state);
  }

  /**
   * The branch that ends with a stored block, for the same use as {@link stateToBuildOn}. Throws {@link ChainError}
   * `UNKNOWN_BLOCK`.
   */
  branchToBuildOn(hash: Uint8Array): Branch {
    const tip = this.store.header(hash);
    if (tip === undefined) throw new ChainError({ code: "UNKNOWN_BLOCK", hash });
    return this.bestChain.branch(tip);
  }

  private accept(stored: StoredBlock, results: BlockResults, totalDifficulty: bigint): Connection {
    const { bestChain } = this;
    bestChain.catchUpLogIndex();
    const { header, block, receipts } = stored;
    const { stateRoot, encodedReceipts } = results;
    const outcome = { stateRoot, totalDifficulty };
    const { tip } = bestChain;
    const becomesBest = isBetter(
      { totalDifficulty, paidFees: header.paidFees, hash: header.hash },
      { totalDifficulty: tip.totalDifficulty, paidFees: tip.header.paidFees, hash: tip.header.hash },
    );
    const writes = this.rewinder.deletionOfHidden(header.number);
    const isFirst = header.number > bestChain.highest;
    if (isFirst) bestChain.highest = header.number;
    append(writes, this.store.blockWrites(block, receipts, outcome, isFirst, encodedReceipts));
    if (!becomesBest) {
      append(writes, bestChain.states.accept(block, results.state, undefined));
      const event: ChainEvent = { kind: "sideBlock", ...stored };
      return { result: { kind: "imported-side" }, written: this.append(header.number, writes), event };
    }
    const change = reorganisation(tip.header, header, (hash) =>
      equalBytes(hash, header.hash) ? header : this.store.header(hash),
    );
    if (change.removed.length > 0) REORGANISATION_DEPTH.observe(change.removed.length);
    const age = this.judgeParts.now() - Number(header.timestamp);
    const pin = isCheckpoint(header, age);
    // The clock of a development network may be set to any time.
    const isBehind = stored.source !== "local" && age > BEHIND_AGE;
    append(writes, bestChain.states.accept(block, results.state, change, { pin, isBehind }));
    append(writes, bestChain.move(change, block, receipts));
    bestChain.moveTip({ header, ...outcome });
    const written = this.append(header.number, writes, this.gathering.delay(isBehind, this.queue.gathered));
    if (pin) this.tidy();
    this.pruning.run(header.number);
    return { ...bestConnection(change, stored), written };
  }

  /** Appends the changes that store a block, and delete those that are hidden under its number. */
  private append(number: number, writes: readonly Write[], delay?: number): Promise<void> {
    this.rewinder.reveal(number);
    return this.queue.append(writes, delay);
  }
}

/** Seconds after which a block is too old to be the checkpoint of a snapshot. */
const CHECKPOINT_AGE = 4 * 24 * 60 * 60;

/** Seconds after which a block is so old that the chain is far behind. */
const BEHIND_AGE = 60 * 60;

/**
 * Whether a new block, of an age in seconds, will be the checkpoint of snapshots, so that its trie must remain
 * readable.
 */
function isCheckpoint({ number }: BlockHeader, age: number): boolean {
  const { interval, depth } = SNAPSHOT_SERVING;
  return (number + depth) % interval === 0 && age < CHECKPOINT_AGE;
}

function bestConnection(change: Reorganisation, stored: StoredBlock): Connection {
  if (change.removed.length === 0) {
    return { result: { kind: "imported-best" }, event: { kind: "newHead", ...stored } };
  }
  return {
    result: { kind: "imported-best", reorganisation: change },
    event: { kind: "reorg", reorganisation: change, ...stored },
  };
}

/** The block's fault; undefined if the error is not a fault of the block. */
function faultOf(error: unknown, block: Block | undefined): BlockFault | undefined {
  if (error instanceof BlockError) return error.details;
  if (error instanceof TypesError && block === undefined) return { code: "DECODING", reason: error.message };
  return undefined;
}
