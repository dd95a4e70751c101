import { type BlockHistoryOptions, ChainError, type FlatStateOptions, type StateLayout } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import {
  attachLevelDatabase,
  type BatchLogOptions,
  type DatabaseError,
  type LevelDatabaseOptions,
  openLevelDatabase,
} from "@cambium/database";
import { type ThreadError, toHex } from "@cambium/primitives";
import { packKnownSenders } from "@cambium/types";
import type { BlockInput } from "../import/block-input.js";
import type { ChainEvent, ImportResult } from "../interface.js";
import { type AnnouncingParts, AnnouncingReader, announcingParts } from "./announcing-reader.js";
import { ImportClient } from "./import-client.js";
import type { PlainChainEvent } from "./import-messages.js";
import { OfferedBlocks } from "./offered-blocks.js";
import { compact } from "./sender-recovery.js";

export interface ThreadedChainOptions {
  network: NetworkConfig;
  /** Directory of the database; created if it is missing. */
  location: string;
  /** Whether this process has the database open already. */
  isOpen?: boolean;
  level?: LevelDatabaseOptions;
  /** Keeps copies of the batches, for replicas. */
  log?: BatchLogOptions | undefined;
  /** Number of decoded state nodes that the import thread caches. */
  nodeCacheCapacity?: number;
  /** See `ChainOptions`. */
  stateLayout?: StateLayout;
  flatState?: FlatStateOptions;
  blockHistory?: BlockHistoryOptions;
  /** Called if a listener throws; the import continues. */
  onListenerError?: (error: unknown, event: ChainEvent) => void;
  /** Called once if no more blocks can be imported: `WORKER_FAILED` or `DATABASE_WRITE`. Reads still work. */
  onFailure?: (error: ThreadError | DatabaseError) => void;
}

/**
 * The chain in a database directory, with the methods of `Chain`, for the main thread. A separate thread, which has the
 * same database open, validates, executes and writes blocks.
 *
 * The import thread may be several blocks ahead. The best block, blocks by number and positions of transactions are
 * those of the last emitted event. Listeners are notified of a block while it is the best block of this object.
 * Known blocks by hash, and siblings by number, are visible as soon as they are on disk. Between a reorganisation on
 * disk and its event, the transactions that it moves are not found.
 */
export class ThreadedChain extends AnnouncingReader {
  private readonly offered = new OfferedBlocks();
  private readonly thread: ImportClient;
  private closing: Promise<void> | undefined;

  /**
   * Opens the chain in a folder; creates it with the network's genesis block if there is none. Throws as `openChain`
   * and `openLevelDatabase` do.
   */
  static async open(options: ThreadedChainOptions): Promise<ThreadedChain> {
    const { network, location, level, log, nodeCacheCapacity, stateLayout, flatState, blockHistory } = options;
    let database = options.isOpen ? undefined : await openLevelDatabase(location, { ...level, create: true });
    const data = { network, location, level, log, nodeCacheCapacity, stateLayout, flatState, blockHistory };
    // Starts first, because it loads its modules while this thread attaches to the database.
    const thread = new ImportClient(data, options.onFailure ?? (() => undefined));
    try {
      database ??= await attachLevelDatabase(location, level);
      await thread.opened;
      return new ThreadedChain({ ...announcingParts(network, database, options.onListenerError), thread });
    } catch (error) {
      await thread.close();
      await database?.close();
      throw error;
    }
  }

  private constructor(parts: ThreadedChainParts) {
    super(parts);
    this.thread = parts.thread;
    this.thread.onEvent = (event) => this.receive(event);
  }

  /**
   * Works like `Chain.import`; any number of imports may be in progress. Bytes are copied, so the caller may reuse them
   * when this returns. Rejects with {@link ChainError}, {@link DatabaseError} `DATABASE_WRITE`, or {@link ThreadError}.
   */
  async import(input: BlockInput): Promise<ImportResult> {
    this.mustBeOpen();
    const { bytes, source, block, isBodyChecked } = input;
    const senders = input.senders ?? (block && packKnownSenders(block.transactions));
    const forget = this.offered.add(input);
    try {
      return await this.thread.call("import", { bytes: compact(bytes), source, senders, isBodyChecked });
    } finally {
      forget();
    }
  }

  /** See `Chain.rewind`. */
  async rewind(hash: Uint8Array): Promise<void> {
    this.mustBeOpen();
    await this.thread.call("rewind", compact(hash));
  }

  /** See `Chain.rememberInvalid`. */
  async rememberInvalid(hash: Uint8Array): Promise<void> {
    this.mustBeOpen();
    await this.thread.call("rememberInvalid", compact(hash));
  }

  /** Waits for imports in flight, whose results and events are still delivered, and closes the database. */
  close(): Promise<void> {
    this.closing ??= this.thread.close().then(() => this.parts.database.close());
    return this.closing;
  }

  private mustBeOpen(): void {
    if (this.closing !== undefined) throw new ChainError({ code: "CLOSED" });
  }

  private receive(announcement: PlainChainEvent): void {
    this.remember(announcement);
    this.announce(announcement);
  }

  /** Caches the header and block that the caller has decoded, so that they need not be decoded again. */
  private remember({ hash }: PlainChainEvent): void {
    const input = this.offered.only(hash);
    if (input === undefined) return;
    const key = toHex(hash);
    const { headers, blocks } = this.parts.blocks;
    headers.set(key, input.header);
    if (input.block !== undefined) blocks.set(key, input.block);
  }
}

interface ThreadedChainParts extends AnnouncingParts {
  thread: ImportClient;
}
