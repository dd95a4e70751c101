import { setImmediate as nextTurn } from "node:timers/promises";
import { type BlockCache, ChainError, ChainStore, FACTS, type RewoundBlocks, TABLES } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { Write, WriteQueue } from "@cambium/database";
import { append, EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import type { Block, Receipt } from "@cambium/types";
import type { ChainEvent } from "../interface.js";
import type { BestChain, Tip } from "./best-chain.js";
import { deletion, rewinding } from "./rewind.js";
import { storedBlock } from "./stored-block.js";

/**
 * Numbers of hidden blocks that are deleted in one turn of the event loop: requests then wait for some hundred
 * microseconds.
 */
const DELETED_PER_TURN = 8;

export interface RewinderParts {
  readonly network: NetworkConfig;
  readonly queue: WriteQueue;
  /** Stored data and pending writes. */
  readonly store: ChainStore;
  readonly blocks: BlockCache;
  readonly bestChain: BestChain;
  /** The database, if blocks can be hidden in it. */
  readonly rewound: RewoundBlocks | undefined;
  readonly emit: (event: ChainEvent) => void;
}

/** A stored block of the best chain. */
interface Target {
  tip: Tip;
  block: Block;
  receipts: readonly Receipt[];
}

/** Makes earlier blocks of the best chain the best one, and deletes those above: immediately, or hidden until then. */
export class Rewinder {
  /** Resolves when no blocks are hidden; undefined if there are none. */
  private deleting: Promise<void> | undefined;

  constructor(private readonly parts: RewinderParts) {}

  /** See `Chain.rewind`. Must not be called again before it resolves. */
  async rewind(hash: Uint8Array, notified: () => Promise<void>): Promise<void> {
    const { store, queue, bestChain, rewound, emit } = this.parts;
    const target = this.target(hash);
    bestChain.catchUpLogIndex();
    const { block, receipts } = target;
    const { number } = block;
    const { number: bestHeight } = bestChain.tip.header;
    const reorganisation = rewinding(store, number, bestHeight);
    const event: ChainEvent = { kind: "reorg", reorganisation, ...storedBlock(block, receipts, "local") };
    const { highest } = bestChain;
    const notify = () => {
      if (number < bestHeight) emit(event);
    };
    bestChain.highest = number;
    if (rewound !== undefined) {
      // Queued writes are not covered by the rewind yet, so flush them first.
      await queue.idle();
      await queue.append(this.hideAbove(rewound, target, highest, notify));
      return;
    }
    const writes = bestChain.move(reorganisation, block, receipts);
    append(writes, bestChain.states.rewind(reorganisation, block));
    bestChain.moveTip(target.tip);
    await queue.append(writes);
    notify();
    await notified();
    const numbers = Array.from({ length: highest - number }, (_, i) => number + 1 + i);
    await queue.append(numbers.flatMap((above) => this.deletionOf(above, store)));
  }

  /** Throws {@link ChainError} `UNKNOWN_BLOCK` if the block is not on the best chain. */
  private target(hash: Uint8Array): Target {
    const { store } = this.parts;
    const block = store.block(hash);
    const outcome = store.outcome(hash);
    const receipts = store.receipts(hash);
    const isBest = block !== undefined && equalBytes(store.hashAt(block.number) ?? EMPTY_BYTES, hash);
    if (!isBest || outcome === undefined || receipts === undefined) {
      throw new ChainError({ code: "UNKNOWN_BLOCK", hash });
    }
    return { tip: { header: block.header, ...outcome }, block, receipts };
  }

  /** Hides the blocks above a new best block; returns the changes that belong to it. */
  private hideAbove(rewound: RewoundBlocks, target: Target, highest: number, notify: () => void): Write[] {
    const { bestChain } = this.parts;
    const { number, hash } = target.block;
    const best = { table: TABLES.facts, key: FACTS.best, value: hash };
    const writes: Write[] = [best, ...bestChain.states.forget({ number, hash })];
    bestChain.dropAbove(number);
    bestChain.moveTip(target.tip);
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
    const { queue } = this.parts;
    try {
      for (;;) {
        await queue.idle();
        if (rewound.isEmpty) break;
        await nextTurn();
        await queue.append(this.hiddenDeletion(rewound, DELETED_PER_TURN));
      }
    } catch {
      // After a failure, the blocks stay hidden.
    } finally {
      this.deleting = undefined;
      release();
    }
  }

  /**
   * Returns changes that delete the hidden blocks with up to this many of the highest numbers. Append them as one set.
   */
  private hiddenDeletion(rewound: RewoundBlocks, count: number): Write[] {
    const stored = this.storedIn(rewound);
    const numbers = rewound.highestNumbers(count);
    const writes = numbers.flatMap((number) => this.deletionOf(number, stored));
    rewound.revealHighest(numbers.length);
    return writes;
  }

  /**
   * Returns changes that delete the hidden blocks with a number, which a new block takes. Call {@link reveal} when they
   * are appended.
   */
  deletionOfHidden(number: number): Write[] {
    const { rewound } = this.parts;
    return rewound?.hides(number) ? this.deletionOf(number, this.storedIn(rewound)) : [];
  }

  reveal(number: number): void {
    this.parts.rewound?.reveal(number);
  }

  /** Returns the store of all blocks on disk, including hidden ones. */
  private storedIn(rewound: RewoundBlocks): ChainStore {
    return new ChainStore(rewound.stored, this.parts.network);
  }

  /** Returns changes that delete all blocks with a number, as stored in `stored`. */
  private deletionOf(number: number, stored: ChainStore): Write[] {
    const { store, blocks } = this.parts;
    return deletion(store, blocks, number, stored.hashesAt(number));
  }

  /** Resolves when no blocks are left that {@link rewind} has removed. */
  async deleted(): Promise<void> {
    await this.deleting;
  }
}
