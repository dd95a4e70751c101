import type { Peer } from "../interface.js";
import type { PeerLimits } from "../options.js";

const HOUR = 3_600_000;

export interface EclipseWatchParts {
  ownTotalDifficulty(): bigint;
  /** Milliseconds. */
  now(): number;
}

/**
 * Notices that an attacker may have isolated this node: for an hour, no peer on any wire has claimed as much work as
 * our chain has (`spec/07 §D.10`). Its boot nodes are then connected to again, whatever peers it has.
 */
export class EclipseWatch {
  private readonly wires: (() => readonly Pick<Peer, "status">[])[] = [];
  private sawWorkAt: number;

  constructor(private readonly parts: EclipseWatchParts) {
    this.sawWorkAt = parts.now();
  }

  /** Adds the connected peers of a wire. */
  add(peers: () => readonly Pick<Peer, "status">[]): void {
    this.wires.push(peers);
  }

  /** To be called at short intervals. */
  isPossible(): boolean {
    const { ownTotalDifficulty, now } = this.parts;
    const own = ownTotalDifficulty();
    const hasWork = this.wires.some((peers) => peers().some(({ status }) => status.totalDifficulty >= own));
    if (hasWork) this.sawWorkAt = now();
    return now() - this.sawWorkAt > HOUR;
  }
}

/**
 * The peer whose place a boot node takes; undefined while there is room. An outbound one, whose place inbound peers
 * cannot take, and of these the one that claims the least work.
 */
export function peerToReplace<P extends Pick<Peer, "direction" | "isTrusted" | "status">>(
  peers: readonly P[],
  { maximum }: PeerLimits,
): P | undefined {
  const candidates = peers.filter(({ isTrusted }) => !isTrusted);
  if (candidates.length < maximum) return undefined;
  const rank = ({ direction }: P) => (direction === "outbound" ? 0 : 1);
  return candidates.reduce((least, peer) => {
    if (rank(peer) !== rank(least)) return rank(peer) < rank(least) ? peer : least;
    return peer.status.totalDifficulty < least.status.totalDifficulty ? peer : least;
  });
}
