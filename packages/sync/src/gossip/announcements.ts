import { NetworkingError, type PeerId, type ReceivedAnnouncement, type Verdict } from "@cambium/networking";
import { equalBytes, toHex } from "@cambium/primitives";
import type { BlockIntake } from "./block-intake.js";
import type { GossipParts } from "./parts.js";
import { isMalformed, readBlock } from "./received-block.js";

/** Maximum number of blocks being fetched at a time, from one peer and in total (`spec/07 §D.8`). */
const MAX_FETCHES_PER_PEER = 2;
const MAX_FETCHES = 32;
/** Bound of a total difficulty (`spec/07 §D.6`). */
const MAX_TOTAL_DIFFICULTY = 1n << 128n;

/**
 * Fetches blocks that are announced by their hash. An announcement is relayed once its block has been imported, so that
 * its receivers can fetch the block from us.
 */
export class Announcements {
  private readonly fetches = new Map<string, PeerId>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly parts: Pick<GossipParts, "chain" | "network" | "logger">,
    private readonly intake: BlockIntake,
  ) {}

  stop(): void {
    this.stopping.abort();
  }

  async take(announcement: ReceivedAnnouncement, from: PeerId): Promise<Verdict> {
    const { hash, number, totalDifficulty } = announcement;
    const isPossible = (claim: bigint) => claim > 0n && claim < MAX_TOTAL_DIFFICULTY;
    if (totalDifficulty !== undefined && !isPossible(totalDifficulty)) return "ignore";
    if (!this.intake.isPlausibleHeight(number)) return "ignore";
    const id = toHex(hash);
    if (this.fetches.has(id) || this.intake.isKnown(hash) || !this.hasRoom(from)) return "ignore";
    this.fetches.set(id, from);
    try {
      return await this.follow(announcement, from);
    } finally {
      this.fetches.delete(id);
    }
  }

  private hasRoom(from: PeerId): boolean {
    if (this.fetches.size >= MAX_FETCHES) return false;
    let ofPeer = 0;
    for (const peer of this.fetches.values()) if (peer === from) ofPeer++;
    return ofPeer < MAX_FETCHES_PER_PEER;
  }

  private async follow({ hash, number, totalDifficulty }: ReceivedAnnouncement, from: PeerId): Promise<Verdict> {
    const { chain, network } = this.parts;
    const encoded = await this.fetch(hash, from);
    if (encoded === undefined) return "ignore";
    const { verdict, imported } = await this.intake.take(encoded, from);
    if (imported === undefined) return verdict;
    const result = await imported;
    if (!result?.kind.startsWith("imported")) return "ignore";
    const header = chain.headerByHash(hash);
    const actual = chain.totalDifficulty(hash);
    if (header?.number !== number || (totalDifficulty ?? actual) !== actual) {
      network.report(from, "INVALID_MESSAGE", "it announced another height or total difficulty than the block has");
      return "reject";
    }
    return "accept";
  }

  /** Fetches the block from the peer that announced it; undefined if the peer sends none or another one. */
  private async fetch(hash: Uint8Array, from: PeerId): Promise<Uint8Array | undefined> {
    const { network, logger } = this.parts;
    try {
      for await (const encoded of network.blocks(from, [hash], this.stopping.signal)) {
        if (encoded === undefined || this.isBlock(encoded, hash)) return encoded;
        network.report(from, "INVALID_MESSAGE", "it sent another block than the requested one");
        return undefined;
      }
    } catch (error) {
      // The network has scored the peer.
      if (!(error instanceof NetworkingError)) throw error;
      logger.debug({ err: error, peer: from }, "Failed to fetch an announced block");
    }
    return undefined;
  }

  private isBlock(encoded: Uint8Array, hash: Uint8Array): boolean {
    try {
      return equalBytes(readBlock(encoded, this.parts.chain.network).header.hash, hash);
    } catch (error) {
      if (isMalformed(error)) return false;
      throw error;
    }
  }
}
