import { ChainError, FACTS, type Reorganisation, TABLES } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { attachLevelDatabase, type BatchTarget, mapKey, scanBatch } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import { reorganisation } from "../import/reorganisation.js";
import type { ChainEvent } from "../interface.js";
import { AnnouncingReader, announcingParts } from "./announcing-reader.js";

export interface ReplicaChainOptions {
  network: NetworkConfig;
  /** Directory of a database that this process has open already. */
  location: string;
  /** Called if a listener throws; the next batches are applied all the same. */
  onListenerError: (error: unknown, event: ChainEvent) => void;
}

/**
 * The chain in a database that receives the batches of another one. It executes no block. A batch shows the changes of
 * the best chain, and listeners are notified of them as in the chain that wrote it.
 *
 * As in `ThreadedChain`, the best block and blocks by number are as of the last emitted event.
 */
export class ReplicaChain extends AnnouncingReader {
  /** Opens the chain in a folder whose database is open. Rejects as `openChain` and `attachLevelDatabase` do. */
  static async open({ network, location, onListenerError }: ReplicaChainOptions): Promise<ReplicaChain> {
    const database = await attachLevelDatabase(location);
    try {
      return new ReplicaChain(announcingParts(network, database, onListenerError));
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /**
   * Applies a packed batch by `write`, and notifies listeners of its changes of the best chain. Must not be called
   * again before it resolves. Rejects as `write` does, and with {@link ChainError} `DATABASE_DAMAGED` if blocks are
   * missing.
   */
  async apply(packed: Uint8Array, write: () => Promise<void>): Promise<void> {
    const content = new BatchContent(packed);
    const change = this.changeBy(content);
    if (change === undefined) return write();
    // A local network forgets the blocks that it reverts, so their contents must be read before.
    const isForgotten = change.removed.some((hash) => content.forgets(hash));
    if (isForgotten) this.announceRewind(change);
    await write();
    const ancestor = this.headerByHash(change.commonAncestor)!.number;
    const { added, removed } = change;
    if (removed.length > 0 && !isForgotten) {
      const hash = added.at(-1) ?? change.commonAncestor;
      this.announce({ kind: "reorg", hash, number: ancestor + added.length, source: "sync", reorganisation: change });
      return;
    }
    for (const [index, hash] of added.entries()) {
      this.announce({ kind: "newHead", hash, number: ancestor + 1 + index, source: "sync" });
    }
  }

  async close(): Promise<void> {
    await this.parts.database.close();
  }

  private changeBy(content: BatchContent): Reorganisation | undefined {
    const { best } = content;
    const { header, hash } = this.best();
    if (best === undefined || equalBytes(best, hash)) return undefined;
    const headerOf = (key: Uint8Array) => {
      const encoded = content.header(key);
      return encoded === undefined ? this.headerByHash(key) : BlockHeader.decode(encoded, this.network);
    };
    const next = headerOf(best);
    if (next === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "best block", key: best });
    return reorganisation(header, next, headerOf);
  }

  private announceRewind({ commonAncestor, removed }: Reorganisation): void {
    const { number } = this.headerByHash(commonAncestor)!;
    const rewind = { commonAncestor, removed, added: [] };
    this.announce({ kind: "reorg", hash: commonAncestor, number, source: "sync", reorganisation: rewind });
  }
}

/** Tables whose changes show changes of the best chain. */
const READ_TABLES = new Set<number>([TABLES.facts, TABLES.headers, TABLES.outcomes]);

/** Changes of a packed batch that concern the best chain. */
class BatchContent implements BatchTarget {
  /** Hash of the new best block; undefined if it stays. */
  best: Uint8Array | undefined;
  private readonly headers = new Map<string, Uint8Array>();
  private readonly forgotten = new Set<string>();

  constructor(packed: Uint8Array) {
    scanBatch(packed, READ_TABLES, this);
  }

  header(hash: Uint8Array): Uint8Array | undefined {
    return this.headers.get(mapKey(hash));
  }

  /** Whether the block is no longer known after the batch. */
  forgets(hash: Uint8Array): boolean {
    return this.forgotten.has(mapKey(hash));
  }

  put(key: Uint8Array, value: Uint8Array): void {
    if (key[0] === TABLES.headers) this.headers.set(mapKey(key.subarray(1)), value);
    else if (key[0] === TABLES.facts && equalBytes(key.subarray(1), FACTS.best)) this.best = value.slice();
  }

  del(key: Uint8Array): void {
    if (key[0] === TABLES.outcomes) this.forgotten.add(mapKey(key.subarray(1)));
  }
}
