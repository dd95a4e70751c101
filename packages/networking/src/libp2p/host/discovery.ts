import { steadyTime } from "@cambium/primitives";
import { contentRoutingSymbol, peerDiscoverySymbol, peerRoutingSymbol } from "@libp2p/interface";
import {
  type KadDHT,
  type KadDHTComponents,
  kadDHT,
  passthroughMapper,
  removePrivateAddressesMapper,
} from "@libp2p/kad-dht";
import type { PeerId } from "../../interface.js";
import { BucketDiversity, routingTableOf } from "../patches/bucket-diversity.js";
import { filterAnswers } from "../patches/discovery-answers.js";
import { protocolId } from "../wire/ids.js";
import type { ConnectionGate } from "./connection-gate.js";
import { noRecords } from "./no-records.js";
import { withOverrides } from "./overrides.js";
import { UnverifiedAddresses } from "./unverified-addresses.js";

export interface DiscoveryParts {
  /** Names the network in protocol ids. */
  label: string;
  gater: Pick<ConnectionGate, "filterMultiaddrForPeer">;
  /** Whether others can connect to us. */
  isListening: boolean;
  /** Whether all nodes of the network may be on one machine. */
  isDevelopment: boolean;
  /** The remote address of a peer's connection. */
  ipOf(peer: PeerId): string | undefined;
}

/** Pending updates of the routing table. */
const MAX_PENDING_UPDATES = 128;

/**
 * Kademlia for finding peers only (`spec/07 §D.4`). Records are discarded, and {@link UnverifiedAddresses} alone stores
 * the addresses that a peer claims for other peers. Throws `NetworkingError` `LIBRARY_CHANGED`.
 */
export function discovery(parts: DiscoveryParts): (components: KadDHTComponents) => KadDHT {
  const create = kadDHT({
    protocol: protocolId("kad", parts.label),
    logPrefix: "libp2p:kad",
    // An unreachable node does not help others. On public networks the library determines whether the node is
    // reachable.
    ...(parts.isDevelopment || !parts.isListening ? { clientMode: !parts.isListening } : {}),
    peerInfoMapper: parts.isDevelopment ? passthroughMapper : removePrivateAddressesMapper,
    validators: {},
    selectors: {},
    maxInboundStreams: 8,
    maxOutboundStreams: 8,
    routingTableUpdateMaxQueueSize: MAX_PENDING_UPDATES,
  });
  return (components) => {
    const { peerStore } = components;
    const overrides = { datastore: noRecords(), peerStore: withoutAddresses(peerStore) };
    const kad = create(withOverrides(components, overrides));
    new BucketDiversity(routingTableOf(kad), parts.ipOf);
    const addresses = new UnverifiedAddresses(peerStore, parts.gater.filterMultiaddrForPeer, steadyTime);
    filterAnswers(kad, (from, peers) => addresses.learn(from, peers));
    hideFromLibrary(kad);
    return kad;
  };
}

/** Returns a peer store in which the library stores only tags of peers; it would store addresses unchecked. */
function withoutAddresses(peerStore: KadDHTComponents["peerStore"]): KadDHTComponents["peerStore"] {
  return withOverrides(peerStore, {
    merge: (peer, { multiaddrs: _, addresses: __, ...rest }, options) => peerStore.merge(peer, rest, options),
  });
}

/** Otherwise the library stores all addresses it sees, and searches for those of every peer without an address. */
function hideFromLibrary(kad: KadDHT): void {
  for (const symbol of [peerDiscoverySymbol, peerRoutingSymbol, contentRoutingSymbol]) {
    Object.defineProperty(kad, symbol, { value: undefined });
  }
}
