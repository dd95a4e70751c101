import type { Peer } from "../interface.js";
import type { PeerLimits } from "../options.js";

const HOUR = 3_600_000;

export interface EclipseWatchParts {
  ownTotalDifficulty(): bigint;
  /** Returns the current time in milliseconds. */
  now(): number;
}

/**
 * Detects that an attacker may have isolated this node: for an hour, no peer on any wire has claimed as much work as
 * our chain has (`spec/07 §D.10`). The node then connects to its boot nodes again, regardless of its other peers.
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

  /** Whether an attacker may have isolated this node. Call it at short intervals. */
  isPossible(): boolean {
    const { ownTotalDifficulty, now } = this.parts;
    const own = ownTotalDifficulty();
    const hasWork = this.wires.some((peers) => peers().some(({ status }) => status.totalDifficulty >= own));
    if (hasWork) this.sawWorkAt = now();
    return now() - this.sawWorkAt > HOUR;
  }
}

/**
 * Chooses the peer that a boot node replaces; undefined while there is room. It is an outbound peer, whose place
 * inbound peers cannot take, and among these the one that claims the least work.
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
