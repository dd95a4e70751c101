import { setImmediate as nextTurn } from "node:timers/promises";
import {
  abandonWrites,
  adoptWrites,
  type BlockCache,
  type BlockOutcome,
  Branch,
  ChainError,
  ChainStore,
  FACTS,
  type FlatStateOptions,
  HeaderWindow,
  internalFault,
  LogIndexWriter,
  openStateWriter,
  type Reorganisation,
  type RewoundBlocks,
  type StateWriter,
  TABLES,
} from "@cambium/chain-store";
import { type Database, DatabaseError, type Write, WriteQueue } from "@cambium/database";
import { ForkedBlocks, ForkedStateWriter } from "@cambium/fork";
import { append, EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { type KeyedState, KeyedStateView } from "@cambium/state";
import type { NodeCache } from "@cambium/trie";
import { type Block, type BlockHeader, type Receipt, TypesError } from "@cambium/types";
import { BlockError, type BlockFault } from "../faults.js";
import type { ChainEvent, ImportResult, StoredBlock } from "../interface.js";
import type { ValidationProfile } from "../rules/validation.js";
import { SNAPSHOT_SERVING } from "../snapshot/serving.js";
import { type ReaderParts, StoredChainReader } from "../stored-chain-reader.js";
import { type BlockInput, blockOf } from "./block-input.js";
import { type BlockResults, type JudgeParts, judgeBlock } from "./block-judge.js";
import { type ChainListener, ChainListeners } from "./chain-listeners.js";
import { isBetter } from "./fork-choice.js";
import { countImport, IMPORT_TIME, measureStage, REORGANISATION_DEPTH } from "./measurements.js";
import { reorganisation } from "./reorganisation.js";
import { deletion, highestNumber, rewinding } from "./rewind.js";
import { storedBlock } from "./stored-block.js";

export interface ChainParts extends ReaderParts {
  database: Database;
  /** The same, if blocks can be hidden in it: {@link Chain.rewind} then need not wait for their deletion. */
  rewound?: RewoundBlocks;
  blocks: BlockCache;
  /** Decoded nodes of the newest states. */
  importNodes: NodeCache;
  flatState: FlatStateOptions;
  profile: ValidationProfile;
  now: () => number;
  /** Called if a listener throws. */
  onListenerError: (error: unknown, event: ChainEvent) => void;
}

/** The best block as the import sees it, possibly not on disk yet. */
interface Tip extends BlockOutcome {
  header: BlockHeader;
}

/** What the import keeps in memory of the stored chain up to the tip. */
interface KeptInMemory {
  window: HeaderWindow;
  stateWriter: StateWriter;
  logIndex: LogIndexWriter;
  isLogIndexCurrent: boolean;
  /** No block with a higher number is known. */
  highest: number;
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
  private readonly judgeParts: JudgeParts;
  private readonly openedWith: ChainParts;
  /** Undefined after an error that may have left it half changed. */
  private kept: KeptInMemory | undefined;
  private readonly blockCache: BlockCache;
  private readonly rewound: RewoundBlocks | undefined;
  /** Resolves when no blocks are hidden there; undefined if there are none. */
  private deleting: Promise<void> | undefined;
  private tip: Tip;
  /** The state after the tip, read from the time of the first use to the next tip. */
  private tipState: KeyedState | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private tidying: Promise<void> = Promise.resolve();
  private closed = false;

  /** Use `openChain`: the database must hold a genesis block. */
  constructor(parts: ChainParts) {
    super(parts.database, parts);
    this.held = parts.database;
    this.rewound = parts.rewound;
    this.queue = new WriteQueue(parts.database, { hashTable: TABLES.stateNodes });
    const stored = this.fork === undefined ? this.queue : new ForkedBlocks(this.queue, this.fork, false);
    this.store = new ChainStore(stored, parts.network, parts.blocks);
    const { network, evm, profile, now } = parts;
    this.judgeParts = { network, evm, profile, now };
    this.blockCache = parts.blocks;
    this.listeners = new ChainListeners(parts.onListenerError);
    const { header, hash } = this.best();
    this.tip = { header, ...this.store.outcome(hash)! };
    this.openedWith = parts;
    this.kept = this.readKept();
  }

  /** What the import keeps in memory of the stored chain, read again after an error. Throws as the constructor. */
  private get memory(): KeptInMemory {
    this.kept ??= this.readKept();
    return this.kept;
  }

  private readKept(): KeptInMemory {
    const { header, stateRoot } = this.tip;
    const { importNodes, flatState } = this.openedWith;
    const best = { number: header.number, hash: header.hash, stateRoot };
    const states = openStateWriter(this.store.states, importNodes, best, flatState);
    return {
      window: new HeaderWindow(this.store),
      stateWriter: this.fork === undefined ? states : new ForkedStateWriter(states, this.fork),
      logIndex: new LogIndexWriter(this.queue),
      isLogIndexCurrent: false,
      highest: highestNumber(this.store, header.number),
    };
  }

  /** For an error of the database or of this program, be it in the middle of a change that was not written. */
  private forgetKept(): void {
    this.kept = undefined;
    this.tipState = undefined;
  }

  /**
   * Complete chunks of the index are stored; blocks after them are indexed again, before anything changes: it can fail.
   */
  private catchUpLogIndex(): void {
    // The few blocks of a fork are searched by their bloom filters.
    const { memory } = this;
    if (memory.isLogIndexCurrent || this.fork !== undefined) return;
    for (let number = memory.logIndex.firstOpenBlock; number <= this.tip.header.number; number++) {
      const hash = this.store.hashAt(number);
      const receipts = hash === undefined ? undefined : this.store.receipts(hash);
      if (receipts !== undefined) memory.logIndex.add(number, receipts);
    }
    memory.isLogIndexCurrent = true;
  }

  /** Calls `listener` for every block stored from now on, in order; returns a function that removes the listener. */
  on(listener: ChainListener): () => void {
    return this.listeners.add(listener);
  }

  /**
   * Imports a block, which is decoded when its turn comes. Calls may overlap; blocks are imported in the order of the
   * calls. When the result is that a block is known or imported, it can be read, and listeners have been notified of
   * it. Never rejects because of the block, only if the chain itself fails: {@link ChainError} `DATABASE_DAMAGED`,
   * `CLOSED` or `INTERNAL_FAULT`, `DatabaseError` `DATABASE_WRITE`.
   */
  async import(input: BlockInput): Promise<ImportResult> {
    if (this.closed) throw new ChainError({ code: "CLOSED" });
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
   * networks, which can be reverted (`spec/03 §8.3`). Listeners are notified of a reorganisation without added blocks,
   * while the removed ones can still be read; they are deleted once `notified` resolves. With
   * {@link ChainParts.rewound}, they are no longer known when this resolves, and are deleted in the background.
   * Rejects with {@link ChainError} `UNKNOWN_BLOCK` if the block is not on the best chain.
   */
  async rewind(hash: Uint8Array, notified: () => Promise<void> = async () => undefined): Promise<void> {
    if (this.closed) throw new ChainError({ code: "CLOSED" });
    const moving = this.turn.then(() => this.rewindTo(hash, notified));
    this.turn = moving.catch((error: unknown) => {
      if (!(error instanceof ChainError && error.code === "UNKNOWN_BLOCK")) this.forgetKept();
    });
    await moving;
  }

  private async rewindTo(hash: Uint8Array, notified: () => Promise<void>): Promise<void> {
    const block = this.store.block(hash);
    const outcome = this.store.outcome(hash);
    const receipts = this.store.receipts(hash);
    const isBest = block !== undefined && equalBytes(this.store.hashAt(block.number) ?? EMPTY_BYTES, hash);
    if (!isBest || outcome === undefined || receipts === undefined) {
      throw new ChainError({ code: "UNKNOWN_BLOCK", hash });
    }
    this.catchUpLogIndex();
    const { number, header } = block;
    const { number: bestHeight } = this.tip.header;
    const reorganisation = rewinding(this.store, number, bestHeight);
    const event: ChainEvent = { kind: "reorg", reorganisation, ...storedBlock(block, receipts, "local") };
    const { highest } = this.memory;
    const notify = () => {
      if (number < bestHeight) this.listeners.emit(event);
    };
    this.memory.highest = number;
    if (this.rewound !== undefined) {
      // Queued writes are not covered by the rewind yet, so flush them first.
      await this.queue.idle();
      await this.queue.append(this.hideAbove(this.rewound, block, outcome, highest, notify));
      return;
    }
    const writes = this.moveBest(reorganisation, block, receipts);
    append(writes, this.memory.stateWriter.rewind(reorganisation, block));
    this.moveTip({ header, ...outcome });
    await this.queue.append(writes);
    notify();
    await notified();
    const numbers = Array.from({ length: highest - number }, (_, i) => number + 1 + i);
    await this.queue.append(numbers.flatMap((above) => this.deletionOf(above, this.store)));
  }

  /** Hides the blocks above a new best block; returns the changes that belong to it. */
  private hideAbove(
    rewound: RewoundBlocks,
    { header, number, hash }: Block,
    outcome: BlockOutcome,
    highest: number,
    notify: () => void,
  ): Write[] {
    const best = { table: TABLES.facts, key: FACTS.best, value: hash };
    const writes: Write[] = [best, ...this.memory.stateWriter.forget({ number, hash })];
    for (let above = number + 1; above <= this.tip.header.number; above++) this.memory.window.drop(above);
    this.moveTip({ header, ...outcome });
    notify();
    rewound.hideAbove(number, highest);
    if (rewound.hold === undefined) return [...writes, ...this.hiddenDeletion(rewound, highest - number)];
    this.deleting ??= this.deleteHidden(rewound, rewound.hold());
    return writes;
  }

  /**
   * Deletes all blocks that are hidden, some of them in each turn of the event loop. A failure to write is reported by
   * the next import.
   */
  private async deleteHidden(rewound: RewoundBlocks, release: () => void): Promise<void> {
    try {
      for (;;) {
        await this.queue.idle();
        if (rewound.isEmpty) break;
        await nextTurn();
        await this.queue.append(this.hiddenDeletion(rewound, DELETED_AT_ONCE));
      }
    } catch {
      // They stay hidden.
    } finally {
      this.deleting = undefined;
      release();
    }
  }

  /** Changes that delete the hidden blocks with up to this many of the highest numbers; to be appended as one set. */
  private hiddenDeletion(rewound: RewoundBlocks, count: number): Write[] {
    const stored = new ChainStore(rewound.stored, this.network);
    const numbers = rewound.highestNumbers(count);
    const writes = numbers.flatMap((number) => this.deletionOf(number, stored));
    rewound.revealHighest(numbers.length);
    return writes;
  }

  /** Changes that delete all blocks with a number, as they are in `stored`. */
  private deletionOf(number: number, stored: ChainStore): Write[] {
    return deletion(this.store, this.blockCache, number, stored.hashesAt(number));
  }

  /** Resolves when no blocks are left that {@link rewind} has removed. */
  protected async deleted(): Promise<void> {
    await this.deleting;
  }

  /**
   * Notes the best block: a rewind to it will then not read what each block above it has changed. To be called before
   * such blocks are imported.
   */
  prepareRewind(): void {
    this.memory.stateWriter.mark();
  }

  /**
   * Records permanently that a block is invalid, so that neither it nor its descendants are validated again. Only for
   * blocks whose header has proof of work, which bounds their number.
   */
  async rememberInvalid(hash: Uint8Array): Promise<void> {
    await this.held.write([{ table: TABLES.invalidBlocks, key: hash, value: EMPTY_BYTES }]);
  }

  /**
   * After a kill, applies to the stored trie what has changed since, and stores it if other threads could not read the
   * newest one; in order with imports. A failure is reported by the next import.
   */
  async catchUp(): Promise<void> {
    const catching = this.turn.then(async () => {
      const writes = this.memory.stateWriter.catchUp();
      if (writes.length > 0) await this.queue.append(writes);
    });
    this.turn = catching.catch(() => this.forgetKept());
    await this.turn;
  }

  /** Waits for imports in flight and closes the database. */
  async close(): Promise<void> {
    this.closed = true;
    await this.turn;
    await this.tidying;
    await this.deleting;
    const last = this.kept?.stateWriter.close() ?? [];
    if (last.length > 0) await this.queue.append(last).catch(() => undefined);
    await this.queue.idle().catch(() => undefined);
    await this.held.close();
  }

  /** Removes what states no longer need, in the background. A failure to write is reported by the next import. */
  private tidy(): void {
    const remove = async () => {
      const { stateWriter } = this.memory;
      for await (const removal of stateWriter.garbage(this.held)) {
        // After an error, the states are read again: another writer then knows what is stored.
        if (this.closed || this.kept?.stateWriter !== stateWriter) return;
        const writes = removal();
        if (writes.length > 0) await this.queue.append(writes);
      }
    };
    this.tidying = this.tidying.then(remove).catch(() => undefined);
  }

  private async connect(input: BlockInput): Promise<Connection & { begun: number }> {
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
      this.forgetKept();
      throw error instanceof ChainError || error instanceof DatabaseError ? error : internalFault(error, block);
    }
  }

  /** `spec/02 §5.2`. */
  private place(block: Block, { source, execution: known }: BlockInput): Connection {
    const { header } = block;
    if (header.number <= this.memory.highest && this.store.outcome(header.hash) !== undefined) {
      return { result: { kind: "already-known" }, written: this.queue.written() };
    }
    const parent = this.store.header(header.parentHash);
    const outcome = this.store.outcome(header.parentHash);
    const stateAtParent = parent && outcome && this.stateAfterBlock(parent, outcome);
    // The state of a block below a snapshot or the history is not stored, so its children cannot be executed.
    if (parent === undefined || outcome === undefined || stateAtParent === undefined) {
      if (equalBytes(header.parentHash, this.tip.header.hash)) required(undefined, "best block", header.parentHash);
      return { result: { kind: "missing-parent" } };
    }
    const branch = new Branch(this.store, this.memory.window, parent);
    const results = judgeBlock({ block, parent, stateAtParent, branch, known }, this.judgeParts);
    const totalDifficulty = outcome.totalDifficulty + block.cumulativeDifficulty;
    return this.accept(storedBlock(block, results.receipts, source), results, totalDifficulty);
  }

  /**
   * The state after a stored block, for use until the next block is imported: later, a part of what it read may be
   * outdated.
   */
  private stateAfterBlock(block: BlockHeader, outcome: BlockOutcome): KeyedState | undefined {
    if (!equalBytes(block.hash, this.tip.header.hash)) return this.memory.stateWriter.after(block, outcome);
    this.tipState ??= this.memory.stateWriter.after(block, outcome);
    return this.tipState;
  }

  /**
   * The state after a stored block, as the import reads it, for a caller that builds a block on it: the import of that
   * block then need not read it again. It must be used before the caller next waits for anything. Undefined if it
   * cannot be read.
   */
  stateToBuildOn(hash: Uint8Array): KeyedStateView | undefined {
    const header = this.store.header(hash);
    const outcome = this.store.outcome(hash);
    const state = header && outcome && this.stateAfterBlock(header, outcome);
    return state && new KeyedStateView(state);
  }

  /**
   * The branch that ends with a stored block, for the same use as {@link stateToBuildOn}. Throws {@link ChainError}
   * `UNKNOWN_BLOCK`.
   */
  branchToBuildOn(hash: Uint8Array): Branch {
    const tip = this.store.header(hash);
    if (tip === undefined) throw new ChainError({ code: "UNKNOWN_BLOCK", hash });
    return new Branch(this.store, this.memory.window, tip);
  }

  private moveTip(tip: Tip): void {
    this.tip = tip;
    this.tipState = undefined;
  }

  private accept(stored: StoredBlock, results: BlockResults, totalDifficulty: bigint): Connection {
    this.catchUpLogIndex();
    const { header, block, receipts } = stored;
    const { stateRoot, encodedReceipts } = results;
    const outcome = { stateRoot, totalDifficulty };
    const becomesBest = isBetter(
      { totalDifficulty, paidFees: header.paidFees, hash: header.hash },
      { totalDifficulty: this.tip.totalDifficulty, paidFees: this.tip.header.paidFees, hash: this.tip.header.hash },
    );
    const { rewound } = this;
    const writes = rewound?.hides(header.number)
      ? this.deletionOf(header.number, new ChainStore(rewound.stored, this.network))
      : [];
    const isFirst = header.number > this.memory.highest;
    if (isFirst) this.memory.highest = header.number;
    append(writes, this.store.blockWrites(block, receipts, outcome, isFirst, encodedReceipts));
    if (!becomesBest) {
      append(writes, this.memory.stateWriter.accept(block, results.state, undefined));
      const event: ChainEvent = { kind: "sideBlock", ...stored };
      return { result: { kind: "imported-side" }, written: this.append(header.number, writes), event };
    }
    const change = reorganisation(this.tip.header, header, (hash) =>
      equalBytes(hash, header.hash) ? header : this.store.header(hash),
    );
    if (change.removed.length > 0) REORGANISATION_DEPTH.observe(change.removed.length);
    const age = this.judgeParts.now() - Number(header.timestamp);
    const pin = isCheckpoint(header, age);
    // The clock of a development network may be set to any time.
    const isBehind = stored.source !== "local" && age > BEHIND_AGE;
    append(writes, this.memory.stateWriter.accept(block, results.state, change, { pin, isBehind }));
    append(writes, this.moveBest(change, block, receipts));
    this.moveTip({ header, ...outcome });
    const written = this.append(header.number, writes);
    if (pin) this.tidy();
    return { ...bestConnection(change, stored), written };
  }

  /** Appends the changes that store a block, and delete those that are hidden under its number. */
  private append(number: number, writes: readonly Write[]): Promise<void> {
    this.rewound?.reveal(number);
    return this.queue.append(writes);
  }

  /** Changes that make `block` the best block. */
  private moveBest({ removed, added }: Reorganisation, block: Block, receipts: readonly Receipt[]): Write[] {
    const writes: Write[] = [];
    let number = block.number - added.length;
    for (const hash of removed) {
      // After a rewind, the positions of its transactions are deleted with the block.
      const isForgotten = added.length === 0;
      const transactions = isForgotten
        ? []
        : required(this.store.transactionHashes(hash), "block of the best chain", hash);
      append(writes, abandonWrites(++number, transactions));
      this.memory.window.drop(number);
    }
    for (const hash of added) {
      const isTip = equalBytes(hash, block.hash);
      const adopted = isTip ? block : required(this.store.block(hash), "block of a side chain", hash);
      const itsReceipts = isTip ? receipts : required(this.store.receipts(hash), "receipts", hash);
      append(writes, adoptWrites(adopted));
      if (this.fork === undefined) append(writes, this.memory.logIndex.add(adopted.number, itsReceipts));
      this.memory.window.set(adopted.header);
    }
    writes.push({ table: TABLES.facts, key: FACTS.best, value: block.hash });
    return writes;
  }
}

/**
 * Numbers of hidden blocks that are deleted in one turn of the event loop: requests wait for some hundred microseconds.
 */
const DELETED_AT_ONCE = 8;

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

function required<T>(value: T | undefined, what: string, key: Uint8Array): T {
  if (value === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what, key });
  return value;
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
