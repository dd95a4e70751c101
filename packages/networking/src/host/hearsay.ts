import type { PeerId as Libp2pPeerId, PeerInfo, PeerStore } from "@libp2p/interface";
import type { Multiaddr } from "@multiformats/multiaddr";
import { AddressBudget } from "./address-budget.js";
import { placeOf } from "./addresses.js";

/** Peers that are looked at of what one answer names: as many as a good answer has. */
export const PEERS_OF_AN_ANSWER = 20;
/** Addresses that are kept of one peer: more would never be tried. */
export const ADDRESSES_OF_A_PEER = 8;

/** What peers say of the addresses of others: some of it is kept, to be called and for nothing else (`spec/07 §D.10`). */
export class Hearsay {
  private readonly budget: AddressBudget;

  /** `now` gives milliseconds. */
  constructor(
    private readonly peerStore: Pick<PeerStore, "get" | "merge">,
    private readonly isWanted: (peer: Libp2pPeerId, address: Multiaddr) => boolean,
    now: () => number,
  ) {
    this.budget = new AddressBudget(now);
  }

  /** Stores what is new of the addresses; answers with those peers of whom any address is known then. */
  async learn(teller: Libp2pPeerId, peers: readonly PeerInfo[]): Promise<PeerInfo[]> {
    const known: PeerInfo[] = [];
    for (const { id, multiaddrs } of peers.slice(0, PEERS_OF_AN_ANSWER)) {
      const stored = await this.addressesOf(id);
      const added = this.select(teller, id, multiaddrs, stored);
      if (added.length > 0) await this.peerStore.merge(id, { multiaddrs: added });
      if (stored.length + added.length > 0) known.push({ id, multiaddrs: [...stored, ...added] });
    }
    return known;
  }

  private select(
    teller: Libp2pPeerId,
    peer: Libp2pPeerId,
    told: readonly Multiaddr[],
    stored: readonly Multiaddr[],
  ): Multiaddr[] {
    const known = new Set(stored.map(placeText));
    const fresh = new Map<string, Multiaddr>();
    for (const address of told) {
      const text = placeText(address);
      if (text !== undefined && !known.has(text) && this.isWanted(peer, address)) fresh.set(text, address);
    }
    const room = Math.max(0, ADDRESSES_OF_A_PEER - stored.length);
    const chosen = [...fresh.values()].slice(0, room);
    return chosen.slice(0, this.budget.take(teller.toString(), chosen.length));
  }

  private async addressesOf(peer: Libp2pPeerId): Promise<Multiaddr[]> {
    try {
      return (await this.peerStore.get(peer)).addresses.map(({ multiaddr }) => multiaddr);
    } catch (error) {
      if ((error as Error).name === "NotFoundError") return [];
      throw error;
    }
  }
}

/** Undefined for what is no TCP port of an IP address: names are not looked up for strangers. */
function placeText(address: Multiaddr): string | undefined {
  const place = placeOf(address);
  return place === undefined ? undefined : `${place.ip} ${place.port}`;
}
