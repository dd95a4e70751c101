import { RewoundBlocks } from "@cambium/chain-store";
import {
  attachLevelDatabase,
  type BatchLogOptions,
  CachedDatabase,
  DatabaseError,
  DelayedDatabase,
} from "@cambium/database";
import type { Evm } from "@cambium/evm";
import { NodeCache } from "@cambium/trie";
import type { BlockInput } from "../import/block-input.js";
import { Chain, type ChainParts } from "../import/chain.js";
import type { BestBlock, ChainEvent, ImportResult } from "../interface.js";
import { type ChainOptions, checkBestState, openParts } from "../open-chain.js";
import { StoredChainReader } from "../stored-chain-reader.js";
import { AnnouncedChain } from "./announced-chain.js";

/** State nodes that a reader keeps: with flat states, only proofs read them. */
const READER_NODES = 10_000;
/** Milliseconds for which blocks are gathered before they are written. */
const WRITE_DELAY = 25;

export interface LocalChainOptions extends Omit<ChainOptions, "database"> {
  /** Directory of a database that this process has open already. */
  location: string;
  /**
   * Whether blocks may be answered before they are on disk: no later run opens the database, and no other thread
   * reads it.
   */
  writesLate?: boolean;
  /** Keeps copies of the batches, for replicas. */
  log?: BatchLogOptions | undefined;
  /** Called once if no more blocks can be imported: `DATABASE_WRITE`. Reads still work. */
  onFailure?: (error: DatabaseError) => void;
}

/**
 * A chain that imports and writes its blocks in the calling thread, for a network on this machine. Such blocks are
 * small and follow each other fast: passing them between threads would cost more than executing them. An import
 * resolves when its block is on disk.
 *
 * If the chain `writesLate`, blocks are gathered for up to {@link WRITE_DELAY} milliseconds, which takes less time. A
 * rewind then takes effect immediately: the data of the blocks that it removes are deleted afterwards, between other
 * work.
 *
 * As in `ThreadedChain`, the best block, blocks by number and positions of transactions are as of the last emitted
 * event: listeners are notified of a block while it is the best block of this chain, although the next one may already
 * be stored.
 */
export class LocalChain extends Chain {
  private readonly announced: AnnouncedChain;
  private latestBest: BestBlock | undefined;

  private readonly parts: ChainParts;

  /** Opens the chain in a folder whose database is open. Rejects as `openChain` and `attachLevelDatabase` do. */
  static async open(options: LocalChainOptions): Promise<LocalChain> {
    const { location, writesLate = false, log, ...own } = options;
    const onFailure = once((error: DatabaseError) => options.onFailure?.(error));
    const level = await attachLevelDatabase(location, { writesHere: true, log });
    const delayed = writesLate ? new DelayedDatabase(level, { delay: WRITE_DELAY, onFailure }) : undefined;
    const database = new CachedDatabase(delayed ?? level);
    try {
      const chain = new LocalChain(await openParts({ ...own, database }), onFailure, delayed);
      checkBestState(chain);
      // Another handle finds the genesis block of a new chain.
      await chain.written();
      return chain;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Use {@link open}. `delayed`: the database of a chain that writes late. */
  constructor(
    parts: ChainParts,
    private readonly onFailure: (error: DatabaseError) => void,
    private readonly delayed?: DelayedDatabase,
  ) {
    const rewound = new RewoundBlocks(parts.database, delayed && (() => delayed.hold()));
    const own = { ...parts, database: rewound, rewound };
    super(own);
    this.parts = own;
    const { header, hash } = super.best();
    const hashAt = (number: number) => super.hashByNumber(number);
    this.announced = new AnnouncedChain(header.number, hash, hashAt, this.network.fork?.number);
    // The first listener.
    this.on((event) => this.follow(event));
  }

  override best(): BestBlock {
    // The base class calls this before there is anything to announce.
    if (this.announced === undefined) return super.best();
    this.latestBest ??= this.describe(this.announced.hash);
    return this.latestBest;
  }

  override hashByNumber(number: number): Uint8Array | undefined {
    return this.announced.at(number);
  }

  override import(input: BlockInput): Promise<ImportResult> {
    return this.watch(super.import(input));
  }

  override rewind(hash: Uint8Array): Promise<void> {
    return this.watch(super.rewind(hash));
  }

  /**
   * Resolves when the blocks so far are on disk, so that other threads can read them. Rejects with `DatabaseError`
   * `DATABASE_WRITE`.
   */
  async written(): Promise<void> {
    await this.deleted();
    await this.delayed?.written();
  }

  /** A reader of the blocks and states on disk, which executes with another EVM. */
  readerWith(evm: Evm): StoredChainReader {
    const { database, network, genesis, blocks } = this.parts;
    return new StoredChainReader(database, { network, genesis, evm, blocks, nodes: new NodeCache(READER_NODES) });
  }

  private follow(event: ChainEvent): void {
    const { kind, number, hash } = event;
    const reorganisation = event.kind === "reorg" ? event.reorganisation : undefined;
    this.announced.follow({ kind, number, hash, reorganisation });
    this.latestBest = undefined;
  }

  private async watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof DatabaseError) this.onFailure(error);
      throw error;
    }
  }
}

function once<T>(listener: (value: T) => void): (value: T) => void {
  let isFirst = true;
  return (value) => {
    if (isFirst) listener(value);
    isFirst = false;
  };
}
