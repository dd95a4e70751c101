import type { ChainEvent, ChainReader, StoredBlock } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import type { Block, BlockHeader, Receipt } from "@cambium/types";
import { internalError } from "../errors.js";
import type { ChainEventSource } from "./events.js";

/** Number of recent heights to remember; no reorganisation is that deep. */
const REMEMBERED_HEIGHTS = 8192;

/** A block that joined or left the best chain. */
export interface MovedBlock extends Pick<StoredBlock, "hash" | "number" | "header"> {
  /** Decoded when it is read, while listeners are notified. */
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  removed: boolean;
  /** Sequence number of the change that connected the block; 0 if it was connected before this process started. */
  connectedIn: number;
}

/** One change of the best block: the blocks that left the best chain and those that joined it, each ascending. */
export interface ChainChange {
  /** 1, 2, 3, … */
  sequence: number;
  /** Blocks that moved. Read this only while listeners are notified. */
  readonly moves: readonly MovedBlock[];
}

export type ChangeListener = (change: ChainChange) => void;

/**
 * Numbers the changes of the best chain and remembers which change connected each block. A subscriber that joined after
 * a block was connected did not receive it, and so must not receive its removal (`spec/09 §10.1`).
 */
export class ChainFeed {
  private readonly listeners = new Set<ChangeListener>();
  private readonly connectedIn = new Map<number, number>();
  private readonly stopListening: (() => void) | undefined;

  constructor(
    private readonly chain: ChainReader,
    events?: ChainEventSource,
    /** Sequence number of the last change of the previous chain. */
    private latest = 0,
    /** Whether blocks are read from `chain` instead of taken from the events, because it shows less of them. */
    private readonly readsBlocks = false,
  ) {
    this.stopListening = events?.on((event) => this.handle(event));
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

  private handle(event: ChainEvent): void {
    if (event.kind === "sideBlock") return;
    this.latest++;
    const isRewind = event.kind === "reorg" && event.reorganisation.added.length === 0;
    // A rewind can be long, and usually no client reads its moves.
    let moves = isRewind ? undefined : this.moves(event);
    const movesOnce = () => (moves ??= this.moves(event));
    const change: ChainChange = {
      sequence: this.latest,
      get moves() {
        return movesOnce();
      },
    };
    for (const listener of this.listeners) listener(change);
  }

  private moves(event: Exclude<ChainEvent, { kind: "sideBlock" }>): MovedBlock[] {
    if (event.kind === "newHead") return [this.connected(event, event.hash)];
    const { removed, added } = event.reorganisation;
    return [...removed.map((hash) => this.abandoned(hash)), ...added.map((hash) => this.connected(event, hash))];
  }

  private abandoned(hash: Uint8Array): MovedBlock {
    const block = this.stored(hash);
    const connectedIn = this.connectedIn.get(block.number) ?? 0;
    this.connectedIn.delete(block.number);
    return new Move(block, true, connectedIn);
  }

  private connected(event: ChainEvent, hash: Uint8Array): MovedBlock {
    // All but the last block were stored earlier, on a side chain.
    const block = equalBytes(hash, event.hash) && !this.readsBlocks ? event : this.stored(hash);
    this.connectedIn.set(block.number, this.latest);
    this.connectedIn.delete(block.number - REMEMBERED_HEIGHTS);
    return new Move(block, false, this.latest);
  }

  private stored(hash: Uint8Array): Readable {
    const { chain } = this;
    const header = required(chain.headerByHash(hash));
    return {
      hash,
      number: header.number,
      header,
      get block() {
        return required(chain.blockByHash(hash));
      },
      get receipts() {
        return required(chain.receipts(hash));
      },
    };
  }
}

type Readable = Omit<StoredBlock, "source">;

class Move implements MovedBlock {
  constructor(
    private readonly stored: Readable,
    readonly removed: boolean,
    readonly connectedIn: number,
  ) {}

  get hash(): Uint8Array {
    return this.stored.hash;
  }

  get number(): number {
    return this.stored.number;
  }

  get header(): BlockHeader {
    return this.stored.header;
  }

  get block(): Block {
    return this.stored.block;
  }

  get receipts(): readonly Receipt[] {
    return this.stored.receipts;
  }
}

/** A value of a block that an event names, which is stored before the event is emitted. */
function required<T>(value: T | undefined): T {
  if (value === undefined) throw internalError();
  return value;
}
