import type { PeerId as Libp2pPeerId, PeerInfo, PeerStore } from "@libp2p/interface";
import type { Multiaddr } from "@multiformats/multiaddr";
import { placeOf } from "../addresses.js";
import { AddressBudget } from "./address-budget.js";

/** Number of considered peers per response: the maximum of an honest response. */
export const MAX_PEERS_PER_ANSWER = 20;
/** Maximum number of addresses stored per peer: more would never be dialled. */
export const MAX_ADDRESSES_PER_PEER = 8;

/** Addresses that peers claim for other peers. Some are stored, only for dialling (`spec/07 §D.10`). */
export class UnverifiedAddresses {
  private readonly budget: AddressBudget;

  /** `now` returns milliseconds. */
  constructor(
    private readonly peerStore: Pick<PeerStore, "get" | "merge">,
    private readonly isWanted: (peer: Libp2pPeerId, address: Multiaddr) => boolean,
    now: () => number,
  ) {
    this.budget = new AddressBudget(now);
  }

  /** Stores new addresses of the named peers; returns those peers that have a stored address afterwards. */
  async learn(source: Libp2pPeerId, peers: readonly PeerInfo[]): Promise<PeerInfo[]> {
    const known: PeerInfo[] = [];
    for (const { id, multiaddrs } of peers.slice(0, MAX_PEERS_PER_ANSWER)) {
      const stored = await this.storedAddresses(id);
      const added = this.select(source, id, multiaddrs, stored);
      if (added.length > 0) await this.peerStore.merge(id, { multiaddrs: added });
      if (stored.length + added.length > 0) known.push({ id, multiaddrs: [...stored, ...added] });
    }
    return known;
  }

  private select(
    source: Libp2pPeerId,
    peer: Libp2pPeerId,
    claimed: readonly Multiaddr[],
    stored: readonly Multiaddr[],
  ): Multiaddr[] {
    const known = new Set(stored.map(placeText));
    const fresh = new Map<string, Multiaddr>();
    for (const address of claimed) {
      const text = placeText(address);
      if (text !== undefined && !known.has(text) && this.isWanted(peer, address)) fresh.set(text, address);
    }
    const room = Math.max(0, MAX_ADDRESSES_PER_PEER - stored.length);
    const chosen = [...fresh.values()].slice(0, room);
    return chosen.slice(0, this.budget.take(source.toString(), chosen.length));
  }

  private async storedAddresses(peer: Libp2pPeerId): Promise<Multiaddr[]> {
    try {
      return (await this.peerStore.get(peer)).addresses.map(({ multiaddr }) => multiaddr);
    } catch (error) {
      if ((error as Error).name === "NotFoundError") return [];
      throw error;
    }
  }
}

/**
 * Returns the address as text; undefined unless it is a TCP port of an IP address. Names claimed by unknown peers are
 * not resolved.
 */
function placeText(address: Multiaddr): string | undefined {
  const place = placeOf(address);
  return place === undefined ? undefined : `${place.ip} ${place.port}`;
}
