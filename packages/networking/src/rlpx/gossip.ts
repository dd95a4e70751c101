import type { NetworkConfig } from "@cambium/config";
import { keccak256, type Logger } from "@cambium/primitives";
import type { IncomingNotification } from "@cambium/rlpx";
import { BlockHeader } from "@cambium/types";
import type { BlockAnnouncement, BlockId, GossipHandlers, PeerId, Verdict } from "../interface.js";
import { PeerRateLimiter } from "../peers/peer-rate-limiter.js";
import { shuffled } from "../peers/shuffled.js";
import { type QueueOptions, ValidationQueue } from "../peers/validation-queue.js";
import type { ScoringEvent } from "../scoring/events.js";
import { checkBlockShape } from "../serving/answer-checks.js";
import { KIB, MIB } from "../shared/limits.js";
import { DEVELOPMENT_FACTOR, mapValues, type RateBound, scaled } from "../shared/rates.js";
import { batchTransactions } from "../shared/transactions.js";
import type { RlpxPeer } from "./peer.js";

export interface RlpxGossipParts {
  network: NetworkConfig;
  isDevelopment: boolean;
  /** Connected peers. */
  peers(): readonly RlpxPeer[];
  /** Maximum size in bytes of a block that is read. */
  maxBlockBytes(): number;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
  clock(): number;
  logger: Logger;
}

type Kind = "block" | "announcement" | "transaction";

/**
 * Bytes per unit of weight in a queue. The capacity thus bounds bytes too: 64 MiB of blocks, 16 MiB of transactions.
 */
const BLOCK_UNIT = MIB;
const TRANSACTION_UNIT = 4 * KIB;
/**
 * Queues by kind (`spec/07 §D.5`). A deployed node announces one block at a time; only the first hashes of a longer
 * list count.
 */
const QUEUES: Readonly<Record<Kind, QueueOptions>> = {
  block: { content: "block", capacity: 64, drop: "oldest", parallel: 4 },
  announcement: { content: "announcement", capacity: 64, drop: "oldest", parallel: 8 },
  transaction: { content: "transactions", capacity: 4096, drop: "newest", parallel: 16 },
};
const RATES: Readonly<Record<Kind, RateBound>> = {
  block: { tokens: 64, window: 20_000 },
  announcement: { tokens: 128, window: 20_000 },
  transaction: { tokens: 1000, window: 5_000 },
};
const MAX_ANNOUNCED = 16;

/**
 * Blocks and transactions that deployed nodes send without a request, and those that we send to them (`spec/07 §B.3`,
 * `§B.6`).
 */
export class RlpxGossip {
  private handlers: GossipHandlers | undefined;
  private readonly queues = {
    block: new ValidationQueue(QUEUES.block),
    announcement: new ValidationQueue(QUEUES.announcement),
    transaction: new ValidationQueue(QUEUES.transaction),
  };
  private readonly limiter: PeerRateLimiter<Kind>;

  constructor(private readonly parts: RlpxGossipParts) {
    const factor = parts.isDevelopment ? DEVELOPMENT_FACTOR : 1;
    const rates = mapValues(RATES, (rate) => scaled(rate, factor));
    this.limiter = new PeerRateLimiter(rates, parts.clock);
  }

  setHandlers(handlers: GossipHandlers): void {
    this.handlers = handlers;
  }

  stop(): void {
    this.handlers = undefined;
    for (const queue of Object.values(this.queues)) queue.clear();
  }

  forget(peer: PeerId): void {
    this.limiter.forget(peer);
  }

  receive(message: IncomingNotification, from: RlpxPeer): void {
    if (message.type === "block") this.receiveBlock(message.block, from);
    else if (message.type === "newBlockHashes") this.receiveAnnouncements(message.blocks, from);
    else if (message.type === "transactions") this.receiveTransactions(message.transactions, from);
    // A `newBlockHash`, which no deployed node sends, adds nothing to Status and `newBlockHashes`.
  }

  private receiveBlock(encoded: Uint8Array, from: RlpxPeer): void {
    if (encoded.length > this.parts.maxBlockBytes()) {
      this.parts.report(from.id, "UNREADABLE_MESSAGE", `block of ${encoded.length} bytes`);
      return;
    }
    const weight = Math.ceil(encoded.length / BLOCK_UNIT);
    this.queue("block", { count: 1, weight }, from, async (handlers) => {
      const { verdict, block } = await handlers.block(encoded, from.id);
      if (block === undefined) return verdict;
      from.markKnown(block.hash);
      if (verdict === "accept") void this.relay(block);
      return verdict;
    });
  }

  private receiveAnnouncements(blocks: readonly BlockId[], from: RlpxPeer): void {
    for (const { hash, number } of blocks.slice(0, MAX_ANNOUNCED)) {
      if (hash.length === 0) continue;
      from.markKnown(hash);
      const isQueued = this.queue("announcement", { count: 1, weight: 1 }, from, async (handlers) => {
        const verdict = await handlers.blockHash({ hash, number }, from.id);
        if (verdict === "accept") void this.relay({ hash, number });
        return verdict;
      });
      if (!isQueued) return;
    }
  }

  private receiveTransactions(transactions: readonly Uint8Array[], from: RlpxPeer): void {
    for (const batch of batchTransactions(transactions)) {
      // Copied so that a queued transaction does not keep the whole message, of up to 8 MiB, in memory.
      const some = batch.map((transaction) => transaction.slice());
      const weight = some.reduce((sum, { length }) => sum + Math.ceil(length / TRANSACTION_UNIT), 0);
      const isQueued = this.queue("transaction", { count: some.length, weight }, from, (handlers) =>
        handlers.transactions(some, from.id),
      );
      // Hashing transactions above the rate would cost more than sending them.
      if (!isQueued) return;
      for (const transaction of some) from.learnsTransaction(keccak256(transaction));
    }
  }

  /** Queues a message. Returns false if no more of this kind is read from the peer now. */
  private queue(
    kind: Kind,
    { count, weight }: { count: number; weight: number },
    { id: from }: RlpxPeer,
    validate: (handlers: GossipHandlers) => Promise<Verdict>,
  ): boolean {
    const { handlers } = this;
    if (handlers === undefined) return false;
    if (!this.limiter.take(from, kind, count)) {
      this.parts.report(from, "REPEATED_MESSAGE", `${kind}: rate limit exceeded`);
      return false;
    }
    const guarded = async () => {
      try {
        return await validate(handlers);
      } catch (error) {
        this.parts.logger.error({ err: error, peer: from }, `Failed to validate a received ${kind}`);
        return "ignore";
      }
    };
    this.queues[kind].add({ from, weight, validate: guarded, done: () => undefined });
    return true;
  }

  /** Publishes a block that this node has produced: whole to some peers, by its hash to the others (`spec/07 §B.3`). */
  publishBlock(encoded: Uint8Array): void {
    const header = this.headerOf(encoded);
    if (header === undefined) return;
    const peers = shuffled(this.parts.peers().filter((peer) => peer.markKnown(header.hash)));
    const direct = Math.floor(Math.sqrt(peers.length));
    for (const [index, { session }] of peers.entries()) {
      if (index < direct) session.notify({ type: "block", block: encoded });
      else session.notify({ type: "newBlockHashes", blocks: [header] });
    }
  }

  /** Relays a block that was received and checked on another wire. */
  relayBlock(block: BlockId): void {
    void this.relay(block);
  }

  /** Announces a stored block. */
  announce({ hash, number }: BlockAnnouncement): void {
    for (const peer of this.parts.peers()) {
      if (peer.markKnown(hash)) peer.session.notify({ type: "newBlockHashes", blocks: [{ hash, number }] });
    }
  }

  /**
   * Announces a block once it has been executed. A deployed node may execute it together with its parent, and then
   * punishes the sender if it fails (`spec/07 §B.3`).
   */
  private async relay({ hash, number }: BlockId): Promise<void> {
    try {
      if ((await this.handlers?.isStored?.(hash)) !== false) this.announce({ hash, number, totalDifficulty: 0n });
    } catch (error) {
      this.parts.logger.error({ err: error }, "Failed to relay a block");
    }
  }

  /** Sends RLP of transactions, which may repeat. Each goes once to each peer that is not known to have it. */
  sendTransactions(encoded: readonly Uint8Array[]): void {
    const hashes = encoded.map(keccak256);
    for (const peer of this.parts.peers()) {
      // Omitted transactions may be published again later.
      if (!peer.transactions.hasRoom) continue;
      peer.transactions.add(encoded.filter((_, i) => peer.learnsTransaction(hashes[i]!)));
    }
  }

  private headerOf(encoded: Uint8Array): BlockHeader | undefined {
    try {
      return BlockHeader.decode(checkBlockShape(encoded), this.parts.network);
    } catch (error) {
      this.parts.logger.debug({ err: error }, "Failed to read the header of a block");
      return undefined;
    }
  }
}
