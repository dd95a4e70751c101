import type { Libp2p, PeerId as Libp2pPeerId, Peer as StoredPeer } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { placeOf, subnetOf } from "../host/addresses.js";
import { ADDRESSES_OF_A_PEER } from "../host/hearsay.js";
import type { PeerId } from "../interface.js";
import type { Session } from "./session.js";

/** Tag of peers that we agreed with once. */
const AGREED = "agreed";
/** Peers whose addresses are kept. */
export const MAX_STORED = 1000;

/** A peer that could be called. */
export interface KnownPeer {
  id: PeerId;
  to: Libp2pPeerId;
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
    const { peerStore } = this.libp2p;
    const peer = connection.remotePeer;
    await peerStore.merge(peer, { tags: { [AGREED]: { value: 50 } } });
    if (port === 0) return;
    const multiaddrs = [multiaddr(`/${family}/${address.ip}/tcp/${port}`)];
    const { addresses } = await peerStore.get(peer);
    // Who calls from ever new places is looked for at the last of them.
    if (addresses.length < ADDRESSES_OF_A_PEER) await peerStore.merge(peer, { multiaddrs });
    else await peerStore.patch(peer, { multiaddrs });
  }

  /** In random order, those that we agreed with once before the others. */
  async callable(isCallable: (id: PeerId) => boolean): Promise<KnownPeer[]> {
    return shuffled(await this.libp2p.peerStore.all())
      .filter(({ id, addresses }) => addresses.length > 0 && isCallable(id.toString()))
      .map(knownPeerOf)
      .sort((a, b) => Number(b.isGood) - Number(a.isGood));
  }

  /** Whoever connects is stored by the library, so that this is needed even where nobody is looked for. */
  async forgetSurplus(): Promise<void> {
    const stored = shuffled(await this.libp2p.peerStore.all());
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
  return { id: id.toString(), to: id, isGood: tags.has(AGREED), subnet: ip === undefined ? "" : subnetOf(ip) };
}

/** Whom an attacker wants to be called must not depend on an order that he can choose. */
function shuffled<T>(items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}
