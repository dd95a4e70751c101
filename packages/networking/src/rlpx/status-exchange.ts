import type { Clock } from "@cambium/primitives";
import { type BestBlock, type Notifications, RANGE_VERSION } from "@cambium/rlpx";
import type { NetworkEvent } from "../interface.js";
import type { ServedSources } from "../serving/served-sources.js";
import { ownStatus } from "./own-status.js";
import type { RlpxPeer } from "./peer.js";
import type { RlpxPeerTable } from "./peer-table.js";
import { StalledPeers } from "./stalled-peers.js";

export interface StatusExchangeParts {
  peers: RlpxPeerTable;
  sources: ServedSources;
  announce(event: NetworkEvent): void;
  /** Called for the first Status of a peer. */
  ready(peer: RlpxPeer): void;
  /** Called for a peer that does not synchronise over its connection. */
  endStalled(peer: RlpxPeer): void;
  clock: Clock;
}

/** Interval in milliseconds at which Status is sent, to some peers at a time (`spec/07 §B.2`). */
const STATUS_INTERVAL = 12_000;
const STATUS_PEERS = { least: 3, most: 10 };

/** Exchanges claims with peers: their best block, and from version 63 on the range of blocks that they serve. */
export class StatusExchange {
  private readonly stalled: StalledPeers;
  private stopTimer: (() => void) | undefined;
  /** Lowest block of the range that peers were last notified of. */
  private announcedEarliest = 0;

  constructor(private readonly parts: StatusExchangeParts) {
    this.stalled = new StalledPeers(parts.clock);
  }

  /** Starts to repeat Status. */
  start(): void {
    this.announcedEarliest = this.parts.sources.earliestBody();
    this.stopTimer = this.parts.clock.every(STATUS_INTERVAL, () => this.broadcast());
  }

  stop(): void {
    this.stopTimer?.();
  }

  send(peer: RlpxPeer): void {
    peer.session.notify({ type: "status", ...ownStatus(this.parts.sources, peer.version) });
  }

  /** A Status without total difficulty, or without the hash of a block, claims nothing yet. */
  receive({ bestNumber, bestHash, totalDifficulty, earliestBlock }: BestBlock, peer: RlpxPeer): void {
    if (totalDifficulty !== undefined && bestHash.length > 0) {
      const own = ownStatus(this.parts.sources, peer.version);
      const isStalled = this.stalled.isStalled(peer, totalDifficulty, own.totalDifficulty);
      peer.claim({ bestNumber, bestHash, totalDifficulty, earliestBody: earliestBlock ?? peer.status.earliestBody });
      peer.markKnown(bestHash);
      if (isStalled) {
        this.parts.endStalled(peer);
        return;
      }
    }
    if (peer.isReady) this.parts.announce({ kind: "peerStatus", peer });
    else this.parts.ready(peer);
  }

  /** Stores the range. Only its lower end is exact: the upper one lags behind Status and announcements. */
  receiveRange({ earliest }: Notifications["blockRange"], peer: RlpxPeer): void {
    peer.claim({ earliestBody: earliest });
    if (peer.isReady) this.parts.announce({ kind: "peerStatus", peer });
  }

  /** Records a request of a peer's synchronisation; call it for each. */
  noteRequest(peer: RlpxPeer): void {
    this.stalled.noteRequest(peer);
  }

  private broadcast(): void {
    this.announceRange();
    const peers = this.parts.peers.ready();
    const count = Math.min(STATUS_PEERS.most, Math.max(STATUS_PEERS.least, Math.floor(Math.sqrt(peers.length))));
    const start = Math.floor(Math.random() * peers.length);
    for (const peer of [...peers.slice(start), ...peers.slice(0, start)].slice(0, count)) this.send(peer);
  }

  /** Notifies peers of the range of blocks that this node serves, if its lower end has moved. */
  private announceRange(): void {
    const { peers, sources } = this.parts;
    const earliest = sources.earliestBody();
    if (earliest === this.announcedEarliest) return;
    this.announcedEarliest = earliest;
    const { header, hash } = sources.chain.best();
    for (const peer of peers.ready()) {
      if (peer.version < RANGE_VERSION) continue;
      peer.session.notify({ type: "blockRange", earliest, latest: header.number, latestHash: hash });
    }
  }
}
