import { BlockCache, ChainError } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import type { Evm } from "@cambium/evm";
import { NodeCache } from "@cambium/trie";
import { createChainEvm } from "../execution/native-contracts.js";
import { type ChainListener, ChainListeners } from "../import/chain-listeners.js";
import type { BestBlock, ChainEvent } from "../interface.js";
import { checkedGenesis } from "../open-chain.js";
import { type ReaderParts, StoredChainReader } from "../stored-chain-reader.js";
import { AnnouncedChain } from "./announced-chain.js";
import { announcedEvent } from "./announced-event.js";
import type { PlainChainEvent } from "./import-messages.js";

export interface AnnouncingParts extends ReaderParts {
  database: Database;
  blocks: BlockCache;
  /** Called if a listener throws. */
  onListenerError: (error: unknown, event: ChainEvent) => void;
}

/** Number of decoded state nodes that this thread caches, for calls and block building. */
const READER_NODES = 50_000;

/** The parts for a database. Throws as `openChain` does. */
export function announcingParts(
  network: NetworkConfig,
  database: Database,
  onListenerError: AnnouncingParts["onListenerError"] = () => undefined,
): AnnouncingParts {
  return {
    network,
    database,
    genesis: checkedGenesis(database, { network }),
    evm: createChainEvm(network),
    blocks: new BlockCache(),
    nodes: new NodeCache(READER_NODES),
    onListenerError,
  };
}

/**
 * Reads a database to which another thread or process writes blocks. Best block and blocks by number are as of the last
 * announced event: listeners are notified of a block while it is the best block of this reader, even if later ones are
 * on disk.
 */
export class AnnouncingReader extends StoredChainReader {
  private readonly listeners: ChainListeners;
  private readonly announced: AnnouncedChain;
  private latestBest: BestBlock | undefined;

  constructor(protected readonly parts: AnnouncingParts) {
    super(parts.database, parts);
    this.listeners = new ChainListeners(parts.onListenerError);
    const { header, hash } = super.best();
    const hashAt = (number: number) => super.hashByNumber(number);
    this.announced = new AnnouncedChain(header.number, hash, hashAt, this.network.fork?.number);
  }

  override best(): BestBlock {
    this.latestBest ??= this.describe(this.announced.hash);
    return this.latestBest;
  }

  override hashByNumber(number: number): Uint8Array | undefined {
    return this.announced.at(number);
  }

  /** A reader of the blocks and states on disk, which executes with another EVM. */
  readerWith(evm: Evm): StoredChainReader {
    return new StoredChainReader(this.parts.database, { ...this.parts, evm });
  }

  /** See `Chain.on`. */
  on(listener: ChainListener): () => void {
    return this.listeners.add(listener);
  }

  /** Follows an event and notifies listeners, which read the blocks of the event from this reader. */
  protected announce(event: PlainChainEvent): void {
    const { kind, hash } = event;
    this.announced.follow(event);
    if (kind !== "sideBlock") this.latestBest = undefined;
    if (this.listeners.isEmpty) return;
    this.listeners.emit(
      announcedEvent(event, {
        header: () => stored(this.headerByHash(hash), hash),
        block: () => stored(this.blockByHash(hash), hash),
        receipts: () => stored(this.receipts(hash), hash),
      }),
    );
  }
}

function stored<T>(value: T | undefined, key: Uint8Array): T {
  if (value === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "announced block", key });
  return value;
}
