import type { Libp2p, PeerId as Libp2pPeerId } from "@libp2p/interface";
import type { Multiaddr } from "@multiformats/multiaddr";
import { reasonOf, subnetOf } from "../host/addresses.js";
import type { PeerId } from "../interface.js";
import type { NetworkLogger } from "../logger.js";
import type { PeerLimits } from "../options.js";
import type { PeerScoring } from "../scoring/interface.js";
import type { Timings } from "../timings.js";
import type { DialBook } from "./dial-book.js";
import type { Goodbye } from "./goodbye-reasons.js";
import { type KnownPeer, KnownPeers } from "./known-peers.js";
import { choosePruned } from "./pruning.js";
import type { Session } from "./session.js";
import type { SessionTable } from "./session-table.js";

export interface PeerManagerParts {
  libp2p: Libp2p;
  sessions: SessionTable;
  limits: PeerLimits;
  bootNodes: ReadonlyMap<PeerId, readonly Multiaddr[]>;
  /** Whether others than boot nodes and trusted peers are called. */
  discovery: boolean;
  trusted: ReadonlySet<PeerId>;
  scoring: PeerScoring;
  dialBook: DialBook;
  timings: Timings;
  ownTotalDifficulty(): bigint;
  /** Looks for peers by asking peers; never rejects. */
  discover(): Promise<void>;
  /** Exchanges Status again with those for whom it is time. */
  refreshStatus(): void;
  disconnect(session: Session, goodbye: Goodbye): void;
  logger: NetworkLogger;
}

const HOUR = 3_600_000;
const DIALS_AT_ONCE = 8;
/** Heartbeats from one search for peers, and tidying up, to the next; the first comes when there was time to connect. */
const CARE_EVERY = 4;

/** Whom to call, by what is known of it or by these addresses. */
interface Target {
  id: PeerId;
  to: Libp2pPeerId | Multiaddr[];
}

/** Keeps the number of peers between its bounds, and the mix of them healthy (`spec/07 §D.5`, `§D.10`). */
export class PeerManager {
  private readonly known: KnownPeers;
  private timer: NodeJS.Timeout | undefined;
  private isBusy = false;
  private isStopped = false;
  private beats = 0;
  /** When somebody last claimed at least as much work as we have. */
  private sawWorkAt = Date.now();

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

  /** Status agreed: worth calling again, after a restart too. */
  remember(session: Session): void {
    this.parts.dialBook.succeeded(session.id);
    this.known.remember(session).catch((error) => {
      if (!this.isStopped) this.parts.logger.debug({ peer: session.id, reason: reasonOf(error) }, "Not remembered");
    });
  }

  private async beat(): Promise<void> {
    if (this.isBusy || this.isStopped) return;
    this.isBusy = true;
    try {
      this.prune();
      this.parts.refreshStatus();
      await this.dialSome();
      if (this.beats % CARE_EVERY === 1) await this.takeCare();
      this.beats++;
    } catch (error) {
      if (!this.isStopped) this.parts.logger.warn({ reason: reasonOf(error) }, "Peers could not be looked after");
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

  private async takeCare(): Promise<void> {
    const { sessions, limits, discover } = this.parts;
    await this.known.forgetSurplus();
    if (sessions.size > 0 && sessions.size < limits.target) await discover();
  }

  private async dialSome(): Promise<void> {
    const targets: Target[] = [...this.bootNodesToDial(), ...(await this.knownToDial())];
    await Promise.all(targets.slice(0, DIALS_AT_ONCE).map((target) => this.dial(target)));
  }

  /** While there are too few, or nobody seems to know what others do. */
  private bootNodesToDial(): Target[] {
    const { sessions, limits, bootNodes, dialBook } = this.parts;
    if (sessions.size >= limits.target && !this.isPerhapsSurrounded()) return [];
    const isDue = (id: PeerId) => sessions.get(id) === undefined && dialBook.isDue(id);
    return [...bootNodes].filter(([id]) => isDue(id)).map(([id, to]) => ({ id, to: [...to] }));
  }

  /** All peers claimed less work than we have for an hour (`spec/07 §D.10`). */
  private isPerhapsSurrounded(): boolean {
    const own = this.parts.ownTotalDifficulty();
    const now = Date.now();
    const hasWork = this.parts.sessions.ready().some(({ status }) => status.totalDifficulty >= own);
    if (hasWork) this.sawWorkAt = now;
    return now - this.sawWorkAt > HOUR;
  }

  private async knownToDial(): Promise<KnownPeer[]> {
    const { sessions, limits, trusted, bootNodes, discovery, dialBook, scoring } = this.parts;
    const all = sessions.all();
    const outbound = all.filter(({ direction }) => direction === "outbound");
    const wanted = Math.max(limits.target - all.length, limits.minimumOutbound - outbound.length);
    const isTrustedMissing = [...trusted].some((id) => sessions.get(id) === undefined);
    if ((wanted <= 0 || !discovery) && !isTrustedMissing) return [];
    const callable = await this.known.callable(
      (id) => sessions.get(id) === undefined && !bootNodes.has(id) && dialBook.isDue(id) && scoring.isGoodPeer(id),
    );
    const trustedOnes = callable.filter(({ id }) => trusted.has(id));
    const others = discovery ? callable.filter(({ id }) => !trusted.has(id)) : [];
    const near = new Set(outbound.map(({ address }) => subnetOf(address.ip)));
    return [...trustedOnes, ...spread(others, near).slice(0, Math.max(0, wanted))];
  }

  private async dial({ id, to }: Target): Promise<void> {
    const { libp2p, dialBook, timings, logger } = this.parts;
    try {
      await libp2p.dial(to, { signal: AbortSignal.timeout(timings.handshake) });
    } catch (error) {
      dialBook.failed(id);
      logger.debug({ peer: id, reason: reasonOf(error) }, "Not reached");
    }
  }
}

/** Those from parts of the internet that we are not connected to come first, one of each. */
function spread(peers: readonly KnownPeer[], near: ReadonlySet<string>): KnownPeer[] {
  const seen = new Set(near);
  const first: KnownPeer[] = [];
  const rest: KnownPeer[] = [];
  for (const peer of peers) {
    if (seen.has(peer.subnet)) rest.push(peer);
    else first.push(peer);
    seen.add(peer.subnet);
  }
  return [...first, ...rest];
}
