import { isPublicIp, subnetOfIp } from "@cambium/primitives";
import type { PeerId as Libp2pPeerId, TypedEventTarget } from "@libp2p/interface";
import type { PeerId } from "../../interface.js";
import { withPrivateMembers } from "./private-members.js";

/**
 * Maximum number of peers from one /16 of IPv4 or /32 of IPv6 in a bucket, which has room for 20 (`spec/07 §D.10`:
 * eclipse).
 */
export const MAX_PEERS_PER_SUBNET = 2;

interface Entry {
  peerId: Libp2pPeerId;
}

/** A node of the tree of buckets: either a bucket, or two branches. */
export type Bucket = { peers: Entry[] } | { left: Bucket; right: Bucket };

/** The members of the library's routing table that this module uses. */
export interface RoutingTable
  extends TypedEventTarget<{ "peer:add": CustomEvent<Libp2pPeerId>; "peer:remove": CustomEvent<Libp2pPeerId> }> {
  readonly kb: { readonly root: Bucket };
  remove(peer: Libp2pPeerId): Promise<void>;
}

/** The routing table of a kad-dht service. Throws `NetworkingError` `LIBRARY_CHANGED`. */
export function routingTableOf(kad: object): RoutingTable {
  const { routingTable } = withPrivateMembers<{ routingTable: RoutingTable }>(kad, "@libp2p/kad-dht", {
    "routingTable.kb.root": "object",
    "routingTable.remove": "function",
    "routingTable.addEventListener": "function",
  });
  return routingTable;
}

/**
 * Keeps peers of one subnet from filling a bucket of discovery. An added peer was connected a moment ago, so the
 * address of its connection counts, not a claimed one. Peers already in the bucket stay.
 *
 * Unnecessary with https://github.com/libp2p/js-libp2p-kad-dht/issues/235.
 */
export class BucketDiversity {
  /** Subnets of the peers in the table. */
  private readonly subnets = new Map<PeerId, string>();

  constructor(
    private readonly table: RoutingTable,
    private readonly ipOf: (peer: PeerId) => string | undefined,
  ) {
    table.addEventListener("peer:add", ({ detail }) => this.added(detail));
    table.addEventListener("peer:remove", ({ detail }) => this.subnets.delete(detail.toString()));
  }

  private added(peer: Libp2pPeerId): void {
    const bucket = bucketOf(this.table.kb.root, peer);
    if (bucket === undefined) return;
    const ip = this.ipOf(peer.toString());
    if (ip === undefined) this.remove(peer);
    // The table has non-public addresses only on development networks.
    else if (isPublicIp(ip)) this.count(peer, subnetOfIp(ip), bucket);
  }

  private count(peer: Libp2pPeerId, subnet: string, bucket: readonly Entry[]): void {
    this.subnets.set(peer.toString(), subnet);
    const neighbours = bucket.filter(({ peerId }) => this.subnets.get(peerId.toString()) === subnet);
    if (neighbours.length > MAX_PEERS_PER_SUBNET) this.remove(peer);
  }

  /** `remove` rejects while discovery is being stopped; the table is then empty. */
  private remove(peer: Libp2pPeerId): void {
    void this.table.remove(peer).catch(() => undefined);
  }
}

/** The bucket that holds a peer; undefined if none does. */
function bucketOf(bucket: Bucket, peer: Libp2pPeerId): readonly Entry[] | undefined {
  if (!("peers" in bucket)) return bucketOf(bucket.left, peer) ?? bucketOf(bucket.right, peer);
  return bucket.peers.some(({ peerId }) => peerId.equals(peer)) ? bucket.peers : undefined;
}
