import {
  contentRoutingSymbol,
  type PeerId as Libp2pPeerId,
  peerDiscoverySymbol,
  peerRoutingSymbol,
} from "@libp2p/interface";
import {
  type KadDHT,
  type KadDHTComponents,
  kadDHT,
  passthroughMapper,
  type QueryEvent,
  removePrivateAddressesMapper,
} from "@libp2p/kad-dht";
import type { PeerId } from "../interface.js";
import { protocolId } from "../wire/ids.js";
import { DiverseBuckets, type RoutingTable } from "./diverse-buckets.js";
import type { Gate } from "./gate.js";
import { Hearsay } from "./hearsay.js";
import { noRecords } from "./no-records.js";
import { replaced } from "./replaced.js";

export interface DiscoveryParts {
  /** Names the network in protocol ids. */
  label: string;
  gater: Pick<Gate, "filterMultiaddrForPeer">;
  /** Whether others can connect to us. */
  isListening: boolean;
  /** Whether the network is one where all nodes may be on one machine. */
  isDevelopment: boolean;
  /** Where a peer is connected from or to. */
  ipOf(peer: PeerId): string | undefined;
}

/** Updates of the table of peers that may wait. */
const WAITING_UPDATES = 128;

/** Parts of the library's object that its type does not show. */
interface KadParts {
  readonly routingTable: RoutingTable;
  readonly network: {
    /** Asks one peer; all searches come through here. */
    sendRequest(to: Libp2pPeerId, ...rest: unknown[]): AsyncGenerator<QueryEvent>;
  };
}

/**
 * Peers from peers and nothing else (`spec/07 §D.4`): what others want kept is forgotten, and an address that somebody
 * tells of is stored by {@link Hearsay} only.
 */
export function discovery(parts: DiscoveryParts): (components: KadDHTComponents) => KadDHT {
  const create = kadDHT({
    protocol: protocolId("kad", parts.label),
    logPrefix: "libp2p:kad",
    // Who cannot be called is of no use to others. Elsewhere the library finds out whether we can.
    ...(parts.isDevelopment || !parts.isListening ? { clientMode: !parts.isListening } : {}),
    peerInfoMapper: parts.isDevelopment ? passthroughMapper : removePrivateAddressesMapper,
    validators: {},
    selectors: {},
    maxInboundStreams: 8,
    maxOutboundStreams: 8,
    routingTableUpdateMaxQueueSize: WAITING_UPDATES,
  });
  return (components) => {
    const { peerStore } = components;
    const kad = create(replaced(components, { datastore: noRecords(), peerStore: withoutAddresses(peerStore) }));
    const { network, routingTable } = kad as unknown as KadParts;
    new DiverseBuckets(routingTable, parts.ipOf);
    hearThrough(new Hearsay(peerStore, parts.gater.filterMultiaddrForPeer, Date.now), network);
    hideFromLibrary(kad);
    return kad;
  };
}

/** What the library writes about peers by itself are tags; addresses it would take from whoever names them. */
function withoutAddresses(peerStore: KadDHTComponents["peerStore"]): KadDHTComponents["peerStore"] {
  return replaced(peerStore, {
    merge: (peer, { multiaddrs: _, addresses: __, ...rest }, options) => peerStore.merge(peer, rest, options),
  });
}

/** A search goes on with those peers only whose addresses were taken. */
function hearThrough(hearsay: Hearsay, network: KadParts["network"]): void {
  const sendRequest = network.sendRequest.bind(network);
  network.sendRequest = async function* (to, ...rest) {
    for await (const event of sendRequest(to, ...rest)) {
      if (event.name !== "PEER_RESPONSE") yield event;
      else yield { ...event, closer: await hearsay.learn(to, event.closer), providers: [] };
    }
  };
}

/** Otherwise the library stores all addresses that come by, and looks for those of every peer that it has none of. */
function hideFromLibrary(kad: KadDHT): void {
  for (const symbol of [peerDiscoverySymbol, peerRoutingSymbol, contentRoutingSymbol]) {
    Object.defineProperty(kad, symbol, { value: undefined });
  }
}
