import { type Logger, messageOf, subnetOfIp } from "@cambium/primitives";
import type { Libp2p, PeerId as Libp2pPeerId } from "@libp2p/interface";
import type { Multiaddr } from "@multiformats/multiaddr";
import type { PeerId } from "../../interface.js";
import type { PeerLimits } from "../../options.js";
import type { DialSchedule } from "../../peers/dial-schedule.js";
import { type EclipseWatch, peerToReplace } from "../../peers/eclipse-watch.js";
import type { Goodbye } from "../../peers/goodbye-reasons.js";
import type { PeerScoring } from "../../scoring/interface.js";
import type { Timings } from "../../shared/timings.js";
import type { Session } from "../sessions/session.js";
import type { SessionTable } from "../sessions/session-table.js";
import { type KnownPeer, KnownPeers } from "./known-peers.js";
import { choosePruned } from "./pruning.js";

export interface PeerManagerParts {
  libp2p: Libp2p;
  sessions: SessionTable;
  limits: PeerLimits;
  bootNodes: ReadonlyMap<PeerId, readonly Multiaddr[]>;
  /** Whether to dial peers other than boot nodes and trusted peers. */
  discovery: boolean;
  trusted: ReadonlySet<PeerId>;
  scoring: PeerScoring;
  dialSchedule: DialSchedule;
  timings: Timings;
  eclipse: EclipseWatch;
  /** Searches for peers through peers; never rejects. */
  discover(): Promise<void>;
  /** Exchanges Status again with peers that are due. */
  refreshStatus(): void;
  disconnect(session: Session, goodbye: Goodbye): void;
  logger: Logger;
}

const DIALS_AT_ONCE = 8;
/**
 * Number of heartbeats between two searches for peers and clean-ups. The second heartbeat is the first to search, after
 * time to connect.
 */
const MAINTENANCE_BEATS = 4;

/** A peer to dial, at its stored addresses or at the given ones. */
interface Target {
  id: PeerId;
  to: Libp2pPeerId | Multiaddr[];
}

/** Keeps the number of peers within its limits and their subnets diverse (`spec/07 §D.5`, `§D.10`). */
export class PeerManager {
  private readonly known: KnownPeers;
  private timer: NodeJS.Timeout | undefined;
  private isBusy = false;
  private isStopped = false;
  private beats = 0;

  constructor(private readonly parts: PeerManagerParts) {
    this.known = new KnownPeers(parts.libp2p);
  }

  start(): void {
    this.timer = setInterval(() => void this.beat(), this.parts.timings.heartbeat);
    void this.beat();
  }

  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }

  /** Stores a compatible peer, to be dialled again after a restart. */
  remember(session: Session): void {
    this.parts.dialSchedule.succeeded(session.id);
    this.known.remember(session).catch((error) => {
      if (!this.isStopped)
        this.parts.logger.debug({ peer: session.id, reason: messageOf(error) }, "Failed to store a peer");
    });
  }

  private async beat(): Promise<void> {
    if (this.isBusy || this.isStopped) return;
    this.isBusy = true;
    try {
      this.prune();
      this.parts.refreshStatus();
      await this.dialSome();
      if (this.beats % MAINTENANCE_BEATS === 1) await this.maintain();
      this.beats++;
    } catch (error) {
      if (!this.isStopped) this.parts.logger.warn({ reason: messageOf(error) }, "Peer maintenance failed");
    } finally {
      this.isBusy = false;
    }
  }

  private prune(): void {
    const { sessions, limits, scoring, disconnect } = this.parts;
    for (const session of choosePruned(sessions.all(), limits, ({ id }) => scoring.score(id))) {
      disconnect(session, "tooManyPeers");
    }
  }

  private async maintain(): Promise<void> {
    const { sessions, limits, discover } = this.parts;
    await this.known.forgetSurplus();
    if (sessions.size > 0 && sessions.size < limits.target) await discover();
  }

  private async dialSome(): Promise<void> {
    const targets: Target[] = [...this.bootNodesToDial(), ...(await this.knownToDial())];
    await Promise.all(targets.slice(0, DIALS_AT_ONCE).map((target) => this.dial(target)));
  }

  /** Boot nodes are dialled while there are too few peers, or while the node may be isolated by an attacker. */
  private bootNodesToDial(): Target[] {
    const { sessions, limits, bootNodes, dialSchedule, eclipse, disconnect } = this.parts;
    const isEclipsed = eclipse.isPossible();
    if (sessions.size >= limits.target && !isEclipsed) return [];
    const due = [...bootNodes].filter(([id]) => sessions.get(id) === undefined && dialSchedule.isDue(id));
    const replaced = isEclipsed && due.length > 0 ? peerToReplace(sessions.ready(), limits) : undefined;
    if (replaced !== undefined) disconnect(replaced, "tooManyPeers");
    return due.map(([id, to]) => ({ id, to: [...to] }));
  }

  private async knownToDial(): Promise<KnownPeer[]> {
    const { sessions, limits, trusted, bootNodes, discovery, dialSchedule, scoring } = this.parts;
    const all = sessions.all();
    const outbound = all.filter(({ direction }) => direction === "outbound");
    const wanted = Math.max(limits.target - all.length, limits.minimumOutbound - outbound.length);
    const isTrustedMissing = [...trusted].some((id) => sessions.get(id) === undefined);
    if ((wanted <= 0 || !discovery) && !isTrustedMissing) return [];
    const dialable = await this.known.dialable(
      (id) => sessions.get(id) === undefined && !bootNodes.has(id) && dialSchedule.isDue(id) && scoring.isGoodPeer(id),
    );
    const trustedOnes = dialable.filter(({ id }) => trusted.has(id));
    const others = discovery ? dialable.filter(({ id }) => !trusted.has(id)) : [];
    const connectedSubnets = new Set(outbound.map(({ address }) => subnetOfIp(address.ip)));
    return [...trustedOnes, ...spread(others, connectedSubnets).slice(0, Math.max(0, wanted))];
  }

  private async dial({ id, to }: Target): Promise<void> {
    const { libp2p, dialSchedule, timings, logger } = this.parts;
    try {
      await libp2p.dial(to, { signal: AbortSignal.timeout(timings.handshake) });
    } catch (error) {
      dialSchedule.failed(id);
      logger.debug({ peer: id, reason: messageOf(error) }, "Failed to dial a peer");
    }
  }
}

/** Puts one peer of each subnet without a connection first. */
function spread(peers: readonly KnownPeer[], connectedSubnets: ReadonlySet<string>): KnownPeer[] {
  const seen = new Set(connectedSubnets);
  const first: KnownPeer[] = [];
  const rest: KnownPeer[] = [];
  for (const peer of peers) {
    if (seen.has(peer.subnet)) rest.push(peer);
    else first.push(peer);
    seen.add(peer.subnet);
  }
  return [...first, ...rest];
}
