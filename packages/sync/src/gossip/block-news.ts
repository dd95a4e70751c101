import type { ChainEvent } from "@cambium/chain";
import { LruCache, type Timers, toHex } from "@cambium/primitives";
import type { BlockIntake } from "./block-intake.js";
import type { GossipParts } from "./parts.js";

const MAX_PUBLISHED = 1024;
/** Milliseconds within which only the last of several best blocks is announced. */
const ANNOUNCEMENT_DELAY = 100;

/**
 * Sends peers the blocks that gossip itself does not relay. Locally produced blocks are sent whole, once. Best blocks
 * that arrived otherwise (missing ancestors, a short synchronisation) are announced by their hash.
 */
export class BlockNews {
  private readonly published = new LruCache<string, true>(MAX_PUBLISHED);
  private cancelAnnouncement: (() => void) | undefined;

  constructor(
    private readonly parts: Pick<GossipParts, "chain" | "network" | "engine">,
    private readonly intake: BlockIntake,
    private readonly timers: Timers,
  ) {}

  stop(): void {
    this.cancelAnnouncement?.();
    this.cancelAnnouncement = undefined;
  }

  onChainEvent(event: ChainEvent): void {
    // The best block of a local network that was reverted is old.
    if (event.kind === "reorg" && event.reorganisation.added.length === 0) return;
    if (event.source === "local") this.publish(event);
    else if (event.kind !== "sideBlock") this.announceSoon();
  }

  private publish(event: ChainEvent): void {
    const { hash } = event;
    if (!this.isFirst(hash)) return;
    this.intake.markRelayed(hash);
    void this.parts.network.publishBlock(this.parts.chain.encodedBlock(hash) ?? event.block.encode());
  }

  private announceSoon(): void {
    const { engine, chain } = this.parts;
    if (engine.isFarBehind() || this.intake.isRelayed(chain.best().hash)) return;
    this.cancelAnnouncement ??= this.timers.after(ANNOUNCEMENT_DELAY, () => this.announce());
  }

  private announce(): void {
    this.cancelAnnouncement = undefined;
    const { chain, network, engine } = this.parts;
    const { header, hash, totalDifficulty } = chain.best();
    if (engine.isFarBehind() || this.intake.isRelayed(hash) || !this.isFirst(hash)) return;
    void network.publishBlockHash({ number: header.number, hash, totalDifficulty });
  }

  private isFirst(hash: Uint8Array): boolean {
    const id = toHex(hash);
    const isFirst = !this.published.has(id);
    this.published.set(id, true);
    return isFirst;
  }
}
