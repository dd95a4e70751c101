import { isPublic, subnetOf } from "../host/addresses.js";
import type { Peer } from "../interface.js";
import type { PeerLimits } from "../options.js";

/** Parts of the internet that outbound connections are spread over (`spec/07 §D.10`: eclipse). */
export const DISTINCT_SUBNETS = 5;

/** A peer as far as pruning looks at it. */
export type Prunable = Pick<Peer, "id" | "direction" | "isTrusted" | "address">;

/**
 * Who has to go so that at most `limits.maximum` stay, trusted ones not counted: the worst score first, of equal ones
 * those who called us, and never the outbound ones that keep us from being surrounded.
 */
export function choosePruned<P extends Prunable>(
  peers: readonly P[],
  limits: PeerLimits,
  score: (peer: P) => number,
): P[] {
  const candidates = peers.filter(({ isTrusted }) => !isTrusted);
  const excess = candidates.length - limits.maximum;
  if (excess <= 0) return [];
  const outbound = new Set(peers.filter(({ direction }) => direction === "outbound"));
  const isInbound = (peer: P) => (peer.direction === "inbound" ? 0 : 1);
  const worstFirst = candidates.sort((a, b) => score(a) - score(b) || isInbound(a) - isInbound(b));
  const pruned: P[] = [];
  for (const peer of worstFirst) {
    if (pruned.length === excess) break;
    if (outbound.has(peer) && isNeeded(peer, outbound, limits)) continue;
    outbound.delete(peer);
    pruned.push(peer);
  }
  return pruned;
}

function isNeeded<P extends Prunable>(peer: P, outbound: ReadonlySet<P>, limits: PeerLimits): boolean {
  if (outbound.size <= limits.minimumOutbound) return true;
  if (!isPublic(peer.address.ip)) return false;
  const subnets = [...outbound].filter((one) => one !== peer).map(({ address }) => subnetOf(address.ip));
  const isLastThere = !subnets.includes(subnetOf(peer.address.ip));
  return isLastThere && new Set(subnets).size < DISTINCT_SUBNETS;
}
