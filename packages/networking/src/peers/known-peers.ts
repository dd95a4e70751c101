import type { Libp2p, PeerId as Libp2pPeerId, Peer as StoredPeer } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { placeOf, subnetOf } from "../host/addresses.js";
import type { PeerId } from "../interface.js";
import type { Session } from "./session.js";

/** Tag of peers that we agreed with once. */
const AGREED = "agreed";
/** Peers whose addresses are kept. */
const MAX_STORED = 1000;

/** A peer that could be called. */
export interface KnownPeer {
  id: PeerId;
  peer: Libp2pPeerId;
  /** Whether we agreed with it once. */
  isGood: boolean;
  subnet: string;
}

/** Peers and their addresses, over restarts. */
export class KnownPeers {
  constructor(private readonly libp2p: Libp2p) {}

  /** Worth calling again. Who called us is called back where it says it listens. */
  async remember({ connection, direction, address, status }: Session): Promise<void> {
    const port = direction === "outbound" ? address.port : status.listenPort;
    const family = address.ip.includes(":") ? "ip6" : "ip4";
    await this.libp2p.peerStore.merge(connection.remotePeer, {
      multiaddrs: port === 0 ? [] : [multiaddr(`/${family}/${address.ip}/tcp/${port}`)],
      tags: { [AGREED]: { value: 50 } },
    });
  }

  /** In random order, those that we agreed with once before the others. Forgets the surplus on the way. */
  async callable(isCallable: (id: PeerId) => boolean): Promise<KnownPeer[]> {
    const stored = shuffled(await this.libp2p.peerStore.all());
    await this.forgetSurplus(stored);
    return stored
      .filter(({ id, addresses }) => addresses.length > 0 && isCallable(id.toString()))
      .map(knownPeerOf)
      .sort((a, b) => Number(b.isGood) - Number(a.isGood));
  }

  private async forgetSurplus(stored: readonly StoredPeer[]): Promise<void> {
    const surplus = stored.length - MAX_STORED;
    if (surplus <= 0) return;
    const isConnected = (peer: StoredPeer) => this.libp2p.getConnections(peer.id).length > 0;
    const leastMissed = stored.filter((peer) => !isConnected(peer)).sort((a, b) => a.tags.size - b.tags.size);
    for (const { id } of leastMissed.slice(0, surplus)) {
      if (!id.equals(this.libp2p.peerId)) await this.libp2p.peerStore.delete(id);
    }
  }
}

function knownPeerOf({ id, addresses, tags }: StoredPeer): KnownPeer {
  const ip = placeOf(addresses[0]!.multiaddr)?.ip;
  return { id: id.toString(), peer: id, isGood: tags.has(AGREED), subnet: ip === undefined ? "" : subnetOf(ip) };
}

/** Whom an attacker wants to be called must not depend on an order that he can choose. */
function shuffled<T>(items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}
