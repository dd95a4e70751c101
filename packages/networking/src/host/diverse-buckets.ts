import type { PeerId as Libp2pPeerId, TypedEventTarget } from "@libp2p/interface";
import type { PeerId } from "../interface.js";
import { isPublic, subnetOf } from "./addresses.js";

/** Peers of one /16 of IPv4 or /32 of IPv6 in a bucket, which has room for 20 (`spec/07 §D.10`: eclipse). */
export const PEERS_OF_A_SUBNET = 2;

interface Entry {
  peerId: Libp2pPeerId;
}

/** A node of the tree of buckets: either it is a bucket, or it has two branches. */
export type Bucket = { peers: Entry[] } | { left: Bucket; right: Bucket };

/** The library's table of peers, as far as it is looked at here. */
export interface RoutingTable
  extends TypedEventTarget<{ "peer:add": CustomEvent<Libp2pPeerId>; "peer:remove": CustomEvent<Libp2pPeerId> }> {
  readonly kb: { readonly root: Bucket };
  remove(peer: Libp2pPeerId): Promise<void>;
}

/**
 * Keeps buckets of discovery from being filled out of one part of the internet. A newcomer was reached a moment ago, so
 * its address is that of its connection and not one that somebody claims; who is there already stays.
 */
export class DiverseBuckets {
  /** Of the peers in the table. */
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
    // Addresses that are not public are in the table on networks of development only.
    else if (isPublic(ip)) this.count(peer, subnetOf(ip), bucket);
  }

  private count(peer: Libp2pPeerId, subnet: string, bucket: readonly Entry[]): void {
    this.subnets.set(peer.toString(), subnet);
    const neighbours = bucket.filter(({ peerId }) => this.subnets.get(peerId.toString()) === subnet);
    if (neighbours.length > PEERS_OF_A_SUBNET) this.remove(peer);
  }

  /** It rejects when discovery is being stopped, and the table is empty then. */
  private remove(peer: Libp2pPeerId): void {
    void this.table.remove(peer).catch(() => undefined);
  }
}

/** The bucket that holds a peer, if any does. */
function bucketOf(bucket: Bucket, peer: Libp2pPeerId): readonly Entry[] | undefined {
  if (!("peers" in bucket)) return bucketOf(bucket.left, peer) ?? bucketOf(bucket.right, peer);
  return bucket.peers.some(({ peerId }) => peerId.equals(peer)) ? bucket.peers : undefined;
}
