import { subnetOfIp } from "@cambium/primitives";
import type { Libp2p, PeerId as Libp2pPeerId, Peer as StoredPeer } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import type { PeerId } from "../../interface.js";
import { shuffled } from "../../peers/shuffled.js";
import { placeOf } from "../addresses.js";
import { MAX_ADDRESSES_PER_PEER } from "../host/unverified-addresses.js";
import type { Session } from "../sessions/session.js";

/** Tag of peers whose Status was compatible once. */
const AGREED = "agreed";
/** Maximum number of peers in the store. */
export const MAX_STORED = 1000;

/** A peer that may be dialled. */
export interface KnownPeer {
  id: PeerId;
  to: Libp2pPeerId;
  /** Whether the peer's Status was compatible once. */
  isGood: boolean;
  subnet: string;
}

/** Peers and their addresses, stored across restarts. */
export class KnownPeers {
  /** Peers with an address. Undefined after a change of the store: reading it decodes the key of each peer. */
  private candidates: readonly KnownPeer[] | undefined;
  private changes = 0;
  /** Upper bound of the number of peers in the store. */
  private stored = Number.POSITIVE_INFINITY;

  constructor(private readonly libp2p: Libp2p) {
    libp2p.addEventListener("peer:update", ({ detail }) => {
      this.candidates = undefined;
      this.changes++;
      if (detail.previous === undefined) this.stored++;
    });
  }

  /** Stores the address of a compatible peer; for an inbound peer, with the port that its Status claims. */
  async remember({ connection, direction, address, status }: Session): Promise<void> {
    const port = direction === "outbound" ? address.port : status.listenPort;
    const family = address.ip.includes(":") ? "ip6" : "ip4";
    const { peerStore } = this.libp2p;
    const peer = connection.remotePeer;
    await peerStore.merge(peer, { tags: { [AGREED]: { value: 50 } } });
    if (port === 0) return;
    const multiaddrs = [multiaddr(`/${family}/${address.ip}/tcp/${port}`)];
    const { addresses } = await peerStore.get(peer);
    // The latest address replaces the others if a peer keeps connecting from new ones.
    if (addresses.length < MAX_ADDRESSES_PER_PEER) await peerStore.merge(peer, { multiaddrs });
    else await peerStore.patch(peer, { multiaddrs });
  }

  /** Candidates for dialling, in random order, those with {@link KnownPeer.isGood} first. */
  async dialable(isDialable: (id: PeerId) => boolean): Promise<KnownPeer[]> {
    const candidates = this.candidates ?? (await this.readCandidates());
    return shuffled(candidates.filter(({ id }) => isDialable(id))).sort((a, b) => Number(b.isGood) - Number(a.isGood));
  }

  private async readCandidates(): Promise<readonly KnownPeer[]> {
    const { changes } = this;
    const all = await this.libp2p.peerStore.all();
    const candidates = all.filter(({ addresses }) => addresses.length > 0).map(knownPeerOf);
    if (changes === this.changes) this.candidates = candidates;
    return candidates;
  }

  /** Removes peers above the limit: the library stores every peer that connects, even without discovery. */
  async forgetSurplus(): Promise<void> {
    if (this.stored <= MAX_STORED) return;
    this.stored = 0;
    const stored = shuffled(await this.libp2p.peerStore.all());
    // Peers that are added in the meantime count twice.
    this.stored += stored.length;
    const surplus = stored.length - MAX_STORED;
    if (surplus <= 0) return;
    const isConnected = (peer: StoredPeer) => this.libp2p.getConnections(peer.id).length > 0;
    const removable = stored.filter((peer) => !isConnected(peer)).sort((a, b) => a.tags.size - b.tags.size);
    for (const { id } of removable.slice(0, surplus)) {
      if (id.equals(this.libp2p.peerId)) continue;
      await this.libp2p.peerStore.delete(id);
      this.stored--;
    }
    this.candidates = undefined;
    this.changes++;
  }
}

function knownPeerOf({ id, addresses, tags }: StoredPeer): KnownPeer {
  const ip = placeOf(addresses[0]!.multiaddr)?.ip;
  return { id: id.toString(), to: id, isGood: tags.has(AGREED), subnet: ip === undefined ? "" : subnetOfIp(ip) };
}
