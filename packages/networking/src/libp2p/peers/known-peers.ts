import { subnetOfIp } from "@cambium/primitives";
import type { Libp2p, PeerId as Libp2pPeerId, Peer as StoredPeer } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import type { PeerId } from "../../interface.js";
import { placeOf } from "../host/addresses.js";
import { MAX_ADDRESSES_PER_PEER } from "../host/unverified-addresses.js";
import type { Session } from "./session.js";

/** Tag of peers whose Status was compatible once. */
const AGREED = "agreed";
/** Peers in the store. */
export const MAX_STORED = 1000;

/** A peer that may be dialled. */
export interface KnownPeer {
  id: PeerId;
  to: Libp2pPeerId;
  /** Whether its Status was compatible once. */
  isGood: boolean;
  subnet: string;
}

/** Peers and their addresses, stored across restarts. */
export class KnownPeers {
  constructor(private readonly libp2p: Libp2p) {}

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
    // The latest address replaces the others of a peer that connects from ever new ones.
    if (addresses.length < MAX_ADDRESSES_PER_PEER) await peerStore.merge(peer, { multiaddrs });
    else await peerStore.patch(peer, { multiaddrs });
  }

  /** Candidates for dialling, in random order, those with {@link KnownPeer.isGood} first. */
  async dialable(isDialable: (id: PeerId) => boolean): Promise<KnownPeer[]> {
    return shuffled(await this.libp2p.peerStore.all())
      .filter(({ id, addresses }) => addresses.length > 0 && isDialable(id.toString()))
      .map(knownPeerOf)
      .sort((a, b) => Number(b.isGood) - Number(a.isGood));
  }

  /** Removes peers above the limit: the library stores every peer that connects, even without discovery. */
  async forgetSurplus(): Promise<void> {
    const stored = shuffled(await this.libp2p.peerStore.all());
    const surplus = stored.length - MAX_STORED;
    if (surplus <= 0) return;
    const isConnected = (peer: StoredPeer) => this.libp2p.getConnections(peer.id).length > 0;
    const removable = stored.filter((peer) => !isConnected(peer)).sort((a, b) => a.tags.size - b.tags.size);
    for (const { id } of removable.slice(0, surplus)) {
      if (!id.equals(this.libp2p.peerId)) await this.libp2p.peerStore.delete(id);
    }
  }
}

function knownPeerOf({ id, addresses, tags }: StoredPeer): KnownPeer {
  const ip = placeOf(addresses[0]!.multiaddr)?.ip;
  return { id: id.toString(), to: id, isGood: tags.has(AGREED), subnet: ip === undefined ? "" : subnetOfIp(ip) };
}

/** An attacker must not be able to influence which peers are dialled first. */
function shuffled<T>(items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}
