import type {
  BlockAnnouncement,
  BlockVerdict,
  GossipHandlers,
  NetworkEvent,
  PeerId,
  Verdict,
} from "@cambium/networking";
import { platformClock } from "@cambium/primitives";
import { Announcements } from "./announcements.js";
import { BlockIntake } from "./block-intake.js";
import { BlockNews } from "./block-news.js";
import type { GossipParts } from "./parts.js";
import { TransactionIntake } from "./transaction-intake.js";
import { TransactionNews } from "./transaction-news.js";

const IGNORE_ALL: GossipHandlers = {
  block: async () => ({ verdict: "ignore" }),
  blockHash: async () => "ignore",
  transactions: async () => "ignore",
};

/** Exchanges new blocks and transactions with peers (`spec/07 §D.8`). */
export class GossipService implements GossipHandlers {
  private readonly blocks: BlockIntake;
  private readonly announcements: Announcements;
  private readonly pooled: TransactionIntake;
  private readonly blockNews: BlockNews;
  private readonly transactionNews: TransactionNews;
  private endings: (() => void)[] = [];

  constructor(private readonly parts: GossipParts) {
    const timers = parts.timers ?? platformClock;
    this.blocks = new BlockIntake(parts);
    this.announcements = new Announcements(parts, this.blocks);
    this.pooled = new TransactionIntake(parts);
    this.blockNews = new BlockNews(parts, this.blocks, timers);
    this.transactionNews = new TransactionNews(parts, timers);
  }

  /** Number and size of the blocks that wait for an ancestor. */
  get waitingBlocks(): { count: number; bytes: number } {
    const { count, bytes } = this.blocks.orphans;
    return { count, bytes };
  }

  /** Starts; call it once. The pool must be subscribed to the chain before, so that it handles new blocks first. */
  start(): void {
    const { chain, pool, network } = this.parts;
    network.setGossipHandlers(this);
    this.transactionNews.start();
    this.endings = [
      chain.on((event) => {
        this.blocks.onStored(event.hash);
        this.blockNews.onChainEvent(event);
      }),
      pool.on((event) => {
        this.transactionNews.onPoolEvent(event);
        if (event.kind === "changed") this.transactionNews.onBestBlock();
      }),
      network.on((event) => this.onNetworkEvent(event)),
    ];
  }

  /** Stops for good. Running imports continue. */
  stop(): void {
    this.parts.network.setGossipHandlers(IGNORE_ALL);
    for (const end of this.endings.splice(0)) end();
    this.announcements.stop();
    this.blockNews.stop();
    this.transactionNews.stop();
  }

  private onNetworkEvent({ kind, peer }: NetworkEvent): void {
    if (kind !== "peerConnected") return;
    const { chain, network } = this.parts;
    if (network.peers().length <= 1 || !chain.isOnBestChain(peer.status.bestHash)) this.transactionNews.onJoin();
  }

  async block(encoded: Uint8Array, from: PeerId): Promise<BlockVerdict> {
    return this.isIgnoring() ? { verdict: "ignore" } : this.blocks.take(encoded, from);
  }

  isStored(hash: Uint8Array): Promise<boolean> {
    return this.blocks.isStored(hash);
  }

  async blockHash(announcement: BlockAnnouncement, from: PeerId): Promise<Verdict> {
    return this.isIgnoring() ? "ignore" : this.announcements.take(announcement, from);
  }

  async transactions(encoded: readonly Uint8Array[], from: PeerId): Promise<Verdict> {
    return this.isIgnoring() ? "ignore" : this.pooled.take(encoded, from);
  }

  private isIgnoring(): boolean {
    return this.parts.engine.isFarBehind();
  }
}
