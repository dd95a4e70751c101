import type { ChainEvent, ChainReader } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import type { Block, Receipt } from "@cambium/types";
import { internalError } from "./errors.js";
import type { ChainEventSource } from "./sources.js";

/** Number of recent heights to remember; no reorganisation is that deep. */
const REMEMBERED_HEIGHTS = 8192;

/** A block that joined or left the best chain. */
export interface MovedBlock {
  block: Block;
  receipts: readonly Receipt[];
  removed: boolean;
  /** Sequence number of the change that connected the block; 0 if it was connected before this process started. */
  connectedIn: number;
}

/** One change of the best block: the blocks that left the best chain and those that joined it, each ascending. */
export interface ChainChange {
  /** 1, 2, 3, … */
  sequence: number;
  moves: readonly MovedBlock[];
}

export type ChangeListener = (change: ChainChange) => void;

/**
 * Numbers the changes of the best chain and remembers which change connected each block. A subscriber that joined after
 * a block was connected was never notified of it, and so must not be notified of its removal (00, States: "previously
 * sent logs").
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

  /** Sequence number of the last change. */
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
    // All but the last block were stored earlier, on a side chain.
    const isNew = equalBytes(hash, event.block.hash);
    const [block, receipts] = isNew ? [event.block, event.receipts] : this.read(hash);
    this.connectedIn.set(block.number, this.latest);
    this.connectedIn.delete(block.number - REMEMBERED_HEIGHTS);
    return { block, receipts, removed: false, connectedIn: this.latest };
  }

  private read(hash: Uint8Array): [Block, readonly Receipt[]] {
    const block = this.chain.blockByHash(hash);
    const receipts = this.chain.receipts(hash);
    // The chain stores a block before it emits the event.
    if (block === undefined || receipts === undefined) throw internalError();
    return [block, receipts];
  }
}
