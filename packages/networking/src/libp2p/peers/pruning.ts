import { isPublicIp, subnetOfIp } from "@cambium/primitives";
import type { Peer } from "../../interface.js";
import type { PeerLimits } from "../../options.js";

/** Number of subnets over which outbound connections are spread (`spec/07 §D.10`: eclipse). */
const DISTINCT_SUBNETS = 5;

/** Properties of a peer that pruning considers. */
export type Prunable = Pick<Peer, "id" | "direction" | "isTrusted" | "address">;

/**
 * Chooses peers to disconnect so that at most `limits.maximum` stay, not counting trusted ones. The worst score comes
 * first, and inbound before outbound at equal scores. Outbound peers that protect against eclipse are never chosen.
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
  const rank = (peer: P) => (peer.direction === "inbound" ? 0 : 1);
  const worstFirst = candidates.sort((a, b) => score(a) - score(b) || rank(a) - rank(b));
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
  if (!isPublicIp(peer.address.ip)) return false;
  const subnets = [...outbound].filter((other) => other !== peer).map(({ address }) => subnetOfIp(address.ip));
  const isLastOfSubnet = !subnets.includes(subnetOfIp(peer.address.ip));
  return isLastOfSubnet && new Set(subnets).size < DISTINCT_SUBNETS;
}
