import {
  abandonWrites,
  adoptWrites,
  type BlockOutcome,
  Branch,
  type ChainStore,
  FACTS,
  type FlatStateOptions,
  HeaderWindow,
  LogIndexWriter,
  openStateWriter,
  type Reorganisation,
  type StateWriter,
  TABLES,
} from "@cambium/chain-store";
import type { KeyValueReader, Write } from "@cambium/database";
import { ForkedStateWriter, type ForkSource } from "@cambium/fork";
import { append, equalBytes } from "@cambium/primitives";
import type { KeyedState } from "@cambium/state";
import type { NodeCache } from "@cambium/trie";
import type { Block, BlockHeader, Receipt } from "@cambium/types";
import { required } from "./required.js";
import { highestNumber } from "./rewind.js";

/** The best block as the import sees it, possibly not on disk yet. */
export interface Tip extends BlockOutcome {
  readonly header: BlockHeader;
}

export interface BestChainParts {
  /** Stored data and pending writes, and below a fork the blocks of its source. */
  readonly store: ChainStore;
  /** Stored data and pending writes. */
  readonly local: KeyValueReader;
  readonly fork: ForkSource | undefined;
  /** Decoded nodes of the newest states. */
  readonly nodes: NodeCache;
  readonly flatState: FlatStateOptions;
}

/** Data of the stored chain up to the tip that are kept in memory. */
interface Memory {
  readonly window: HeaderWindow;
  readonly states: StateWriter;
  readonly logIndex: LogIndexWriter;
  isLogIndexCurrent: boolean;
  /** No block with a higher number is known. */
  highest: number;
}

/** The best chain as the import sees it. It makes changes, which the caller writes in the same order. */
export class BestChain {
  private latest: Tip;
  /** The state after the tip, from its first use to the next tip. */
  private tipState: KeyedState | undefined;
  /** Undefined after an error that may have left it half changed. */
  private memory: Memory | undefined;

  /** Throws {@link ChainError} `DATABASE_DAMAGED`. */
  constructor(
    private readonly parts: BestChainParts,
    tip: Tip,
  ) {
    this.latest = tip;
    this.memory = this.read();
  }

  get tip(): Tip {
    return this.latest;
  }

  get states(): StateWriter {
    return this.remembered().states;
  }

  /** No block with a higher number is known. */
  get highest(): number {
    return this.remembered().highest;
  }

  set highest(number: number) {
    this.remembered().highest = number;
  }

  /** Drops the data in memory after an error of the database or of this program, even within an unwritten change. */
  forget(): void {
    this.memory = undefined;
    this.tipState = undefined;
  }

  /** Whether an error has not replaced `states` yet. */
  uses(states: StateWriter): boolean {
    return this.memory?.states === states;
  }

  /** Reads the memory again after {@link forget}. Throws as the constructor. */
  private remembered(): Memory {
    this.memory ??= this.read();
    return this.memory;
  }

  private read(): Memory {
    const { store, local, fork, nodes, flatState } = this.parts;
    const { header, stateRoot } = this.latest;
    const best = { number: header.number, hash: header.hash, stateRoot };
    const states = openStateWriter(store.states, nodes, best, flatState);
    return {
      window: new HeaderWindow(store),
      states: fork === undefined ? states : new ForkedStateWriter(states, fork),
      logIndex: new LogIndexWriter(local),
      isLogIndexCurrent: false,
      highest: highestNumber(store, header.number),
    };
  }

  /**
   * Complete chunks of the index are stored; blocks after them are indexed again, before anything changes: it can fail.
   */
  catchUpLogIndex(): void {
    const { store, fork } = this.parts;
    const memory = this.remembered();
    // The few blocks of a fork are searched by their bloom filters.
    if (memory.isLogIndexCurrent || fork !== undefined) return;
    for (let number = memory.logIndex.firstOpenBlock; number <= this.latest.header.number; number++) {
      const hash = store.hashAt(number);
      const receipts = hash === undefined ? undefined : store.receipts(hash);
      if (receipts !== undefined) memory.logIndex.add(number, receipts);
    }
    memory.isLogIndexCurrent = true;
  }

  /**
   * Returns the state after a stored block, for use until the next block is imported: later, a part of the values that
   * it has read may be outdated.
   */
  stateAfter(block: BlockHeader, outcome: BlockOutcome): KeyedState | undefined {
    if (!equalBytes(block.hash, this.latest.header.hash)) return this.states.after(block, outcome);
    this.tipState ??= this.states.after(block, outcome);
    return this.tipState;
  }

  /** The branch that ends with a stored block. */
  branch(header: BlockHeader): Branch {
    return new Branch(this.parts.store, this.remembered().window, header);
  }

  moveTip(tip: Tip): void {
    this.latest = tip;
    this.tipState = undefined;
  }

  /** Blocks above a number are no longer on the best chain. */
  dropAbove(number: number): void {
    for (let above = number + 1; above <= this.latest.header.number; above++) this.remembered().window.drop(above);
  }

  /** Changes that make `block` the best block. Throws {@link ChainError} `DATABASE_DAMAGED`. */
  move({ removed, added }: Reorganisation, block: Block, receipts: readonly Receipt[]): Write[] {
    const { store, fork } = this.parts;
    const { window, logIndex } = this.remembered();
    const writes: Write[] = [];
    let number = block.number - added.length;
    for (const hash of removed) {
      // A rewind deletes the positions of a block's transactions together with the block.
      const isForgotten = added.length === 0;
      const transactions = isForgotten ? [] : required(store.transactionHashes(hash), "block of the best chain", hash);
      append(writes, abandonWrites(++number, transactions));
      window.drop(number);
    }
    for (const hash of added) {
      const isTip = equalBytes(hash, block.hash);
      const adopted = isTip ? block : required(store.block(hash), "block of a side chain", hash);
      const itsReceipts = isTip ? receipts : required(store.receipts(hash), "receipts", hash);
      append(writes, adoptWrites(adopted));
      if (fork === undefined) append(writes, logIndex.add(adopted.number, itsReceipts));
      window.set(adopted.header);
    }
    writes.push({ table: TABLES.facts, key: FACTS.best, value: block.hash });
    return writes;
  }

  /** Changes that shorten the work after the next opening. */
  close(): Write[] {
    return this.memory?.states.close() ?? [];
  }
}
