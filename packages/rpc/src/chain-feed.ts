import type { ChainEvent, ChainReader } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import type { Block, Receipt } from "@cambium/types";
import { internalError } from "./errors.js";
import type { ChainEventSource } from "./sources.js";

/** Heights whose connection is remembered; no reorganisation is that deep. */
const REMEMBERED_HEIGHTS = 8192;

/** A block that became part of the best chain, or stopped being it. */
export interface MovedBlock {
  block: Block;
  receipts: readonly Receipt[];
  removed: boolean;
  /** Number of the change that put the block on the best chain; 0 for one that was there before this process. */
  connectedIn: number;
}

/** One change of the best block: what left the best chain, then what joined it, each ascending. */
export interface ChainChange {
  /** 1, 2, 3, … */
  sequence: number;
  moves: readonly MovedBlock[];
}

export type ChangeListener = (change: ChainChange) => void;

/**
 * Numbers the changes of the best chain, and knows which change connected a block that leaves it: whoever came later
 * never heard of that block, and hears nothing of its end (00, States: "previously sent logs").
 */
export class ChainFeed {
  private readonly listeners = new Set<ChangeListener>();
  private readonly connectedIn = new Map<number, number>();
  private readonly stopListening: (() => void) | undefined;
  private latest = 0;

  constructor(
    private readonly chain: ChainReader,
    events?: ChainEventSource,
  ) {
    this.stopListening = events?.on((event) => this.hear(event));
  }

  /** Number of the last change. */
  get sequence(): number {
    return this.latest;
  }

  on(listener: ChangeListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.stopListening?.();
    this.listeners.clear();
  }

  private hear(event: ChainEvent): void {
    if (event.kind === "sideBlock") return;
    this.latest++;
    const moves = event.kind === "newHead" ? [] : this.abandoned(event.reorganisation.removed);
    for (const hash of event.kind === "newHead" ? [event.block.hash] : event.reorganisation.added) {
      moves.push(this.connected(event, hash));
    }
    const change = { sequence: this.latest, moves };
    for (const listener of this.listeners) listener(change);
  }

  private abandoned(hashes: readonly Uint8Array[]): MovedBlock[] {
    return hashes.map((hash) => {
      const [block, receipts] = this.read(hash);
      const connectedIn = this.connectedIn.get(block.number) ?? 0;
      this.connectedIn.delete(block.number);
      return { block, receipts, removed: true, connectedIn };
    });
  }

  private connected(event: ChainEvent, hash: Uint8Array): MovedBlock {
    // all but the last are blocks that came earlier, on a side chain
    const isNew = equalBytes(hash, event.block.hash);
    const [block, receipts] = isNew ? [event.block, event.receipts] : this.read(hash);
    this.connectedIn.set(block.number, this.latest);
    this.connectedIn.delete(block.number - REMEMBERED_HEIGHTS);
    return { block, receipts, removed: false, connectedIn: this.latest };
  }

  private read(hash: Uint8Array): [Block, readonly Receipt[]] {
    const block = this.chain.blockByHash(hash);
    const receipts = this.chain.receipts(hash);
    // stored before the event was told
    if (block === undefined || receipts === undefined) throw internalError();
    return [block, receipts];
  }
}
