import type { NetworkConfig } from "@cambium/config";
import { type Database, type DatabaseError, type LevelDatabaseOptions, openLevelDatabase } from "@cambium/database";
import { type ThreadError, toHex } from "@cambium/primitives";
import { NodeCache } from "@cambium/trie";
import type { Block } from "@cambium/types";
import { ChainError } from "../errors.js";
import { createChainEvm } from "../execution/native-contracts.js";
import type { ChainListener, OfferedBlock } from "../import/chain.js";
import type { BestBlock, ChainEvent, ImportResult } from "../interface.js";
import { checkedGenesis } from "../open-chain.js";
import { BlockCache } from "../store/chain-store.js";
import { type ReaderParts, StoredChainReader } from "../store/reader.js";
import { AnnouncedChain } from "./announced-chain.js";
import { ImportClient } from "./import-client.js";
import type { Announcement } from "./import-messages.js";
import { compact } from "./sender-recovery.js";
import { applySenders, packSenders } from "./senders.js";

export interface ThreadedChainOptions {
  network: NetworkConfig;
  /** Folder of the database; made where it is missing. */
  location: string;
  level?: LevelDatabaseOptions;
  /** State nodes that the importing thread keeps decoded. */
  nodeCacheCapacity?: number;
  /** Told of listeners that threw; the import goes on. */
  onListenerError?: (error: unknown, event: ChainEvent) => void;
  /** Called once, when no more blocks can be imported: `WORKER_FAILED` or `DATABASE_WRITE`. Reading still works. */
  onFailure?: (error: ThreadError | DatabaseError) => void;
}

/** State nodes that this thread keeps decoded, for calls and for building blocks. */
const READER_NODES = 50_000;

/**
 * The chain in a database folder, as `Chain`, but for a thread that has other things to do: blocks are judged, executed
 * and written in a thread of their own, which has the database open too.
 *
 * The other thread may be blocks ahead. Best block, blocks by number and places of transactions are those of the last
 * event that listeners heard: each hears of a block while that block is the best one, whatever is on disk. Known blocks
 * by hash, and siblings by number, are answered as soon as they are on disk. While a reorganisation that is on disk has
 * not been announced, the transactions that it moves are not found.
 */
export class ThreadedChain extends StoredChainReader {
  private readonly listeners = new Set<ChainListener>();
  /** Blocks handed over decoded, so that their events need not decode them again. */
  private readonly offered = new Map<string, Block>();
  private readonly held: Database;
  private readonly thread: ImportClient;
  private readonly blockCache: BlockCache;
  private readonly onListenerError: ThreadedChainParts["onListenerError"];
  private readonly announced: AnnouncedChain;
  private latestBest: BestBlock | undefined;
  private closing: Promise<void> | undefined;

  /** Use {@link openThreadedChain}. */
  constructor(parts: ThreadedChainParts) {
    super(parts.database, parts);
    this.held = parts.database;
    this.thread = parts.thread;
    this.blockCache = parts.blocks;
    this.onListenerError = parts.onListenerError;
    const { header, hash } = super.best();
    this.announced = new AnnouncedChain(header.number, hash, (number) => super.hashByNumber(number));
    this.thread.onEvent = (event) => this.announce(event);
  }

  override best(): BestBlock {
    this.latestBest ??= this.describe(this.announced.hash);
    return this.latestBest;
  }

  override hashByNumber(number: number): Uint8Array | undefined {
    return this.announced.at(number);
  }

  /** As `Chain.on`. */
  on(listener: ChainListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * As `Chain.import`; any number of blocks may be under way. Bytes are copied, and can be used again when this
   * returns; a function is called here, at once. Rejects with {@link ChainError}, {@link DatabaseError}
   * `DATABASE_WRITE`, or {@link ThreadError}.
   */
  async import(offered: OfferedBlock): Promise<ImportResult> {
    this.mustBeOpen();
    const input = typeof offered === "function" ? offered() : offered;
    if (input instanceof Uint8Array) return await this.thread.call("import", { encoded: compact(input) });
    const key = toHex(input.hash);
    this.offered.set(key, input);
    try {
      const block = { encoded: compact(input.encode()), senders: knownSenders(input) };
      return await this.thread.call("import", block);
    } finally {
      this.offered.delete(key);
    }
  }

  /** As `Chain.rewind`. */
  async rewind(hash: Uint8Array): Promise<void> {
    this.mustBeOpen();
    await this.thread.call("rewind", compact(hash));
  }

  /** As `Chain.rememberInvalid`. */
  async rememberInvalid(hash: Uint8Array): Promise<void> {
    this.mustBeOpen();
    await this.thread.call("rememberInvalid", compact(hash));
  }

  /** Waits for what is under way, whose results and events still come, and closes the database. */
  close(): Promise<void> {
    this.closing ??= this.thread.close().then(() => this.held.close());
    return this.closing;
  }

  private mustBeOpen(): void {
    if (this.closing !== undefined) throw new ChainError({ code: "CLOSED" });
  }

  private announce(announcement: Announcement): void {
    const block = this.offered.get(toHex(announcement.hash));
    if (block !== undefined) this.remember(block);
    this.announced.follow(announcement);
    if (announcement.kind !== "sideBlock") this.latestBest = undefined;
    if (this.listeners.size > 0) this.emit(this.eventOf(announcement));
  }

  private remember(block: Block): void {
    const key = toHex(block.hash);
    this.blockCache.headers.set(key, block.header);
    this.blockCache.blocks.set(key, block);
  }

  private eventOf({ kind, hash, reorganisation, senders }: Announcement): ChainEvent {
    const block = this.blockByHash(hash);
    const receipts = this.receipts(hash);
    if (block === undefined || receipts === undefined) {
      throw new ChainError({ code: "DATABASE_DAMAGED", what: "imported block", key: hash });
    }
    applySenders(block, senders);
    return kind === "reorg" ? { kind, block, receipts, reorganisation: reorganisation! } : { kind, block, receipts };
  }

  private emit(event: ChainEvent): void {
    for (const listener of this.listeners) {
      try {
        listener(event);
      } catch (error) {
        this.onListenerError(error, event);
      }
    }
  }
}

interface ThreadedChainParts extends ReaderParts {
  database: Database;
  blocks: BlockCache;
  thread: ImportClient;
  onListenerError: (error: unknown, event: ChainEvent) => void;
}

/** Signers of a block if all of them are known, so that nobody recovers them again. */
function knownSenders(block: Block): Uint8Array | undefined {
  const isKnown = block.transactions.every(({ isSigned, hasSender }) => hasSender || !isSigned);
  return isKnown ? packSenders(block) : undefined;
}

/**
 * Opens the chain in a folder, creating it with the network's genesis block where there is none. Throws as `openChain`
 * and `openLevelDatabase` do.
 */
export async function openThreadedChain(options: ThreadedChainOptions): Promise<ThreadedChain> {
  const { network, location, level, nodeCacheCapacity, onFailure = () => undefined } = options;
  const database = await openLevelDatabase(location, level);
  const thread = new ImportClient({ network, location, level, nodeCacheCapacity }, onFailure);
  try {
    await thread.opened;
    return new ThreadedChain({
      network,
      database,
      genesis: checkedGenesis(database, { network }),
      evm: createChainEvm(network),
      blocks: new BlockCache(),
      nodes: new NodeCache(READER_NODES),
      thread,
      onListenerError: options.onListenerError ?? (() => undefined),
    });
  } catch (error) {
    await thread.close();
    await database.close();
    throw error;
  }
}
