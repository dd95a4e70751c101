import "../polyfill.js";
import { noise } from "@chainsafe/libp2p-noise";
import { autoNAT } from "@libp2p/autonat";
import { identify } from "@libp2p/identify";
import { FaultTolerance, type Libp2p, type PrivateKey } from "@libp2p/interface";
import type { KadDHT } from "@libp2p/kad-dht";
import { ping } from "@libp2p/ping";
import { tcp } from "@libp2p/tcp";
import { uPnPNAT } from "@libp2p/upnp-nat";
import type { LevelDatastore } from "datastore-level";
import { createLibp2p } from "libp2p";
import { type GossipService, type GossipServiceOptions, gossipService } from "../gossip/gossip-service.js";
import type { NetworkingOptions } from "../options.js";
import type { Timings } from "../timings.js";
import { afterStatus, type WhenReady } from "./after-status.js";
import { type DiscoveryParts, discovery } from "./discovery.js";
import type { Gate } from "./gate.js";
import { muxer, type StreamTally } from "./muxer.js";

export interface Libp2pParts {
  key: PrivateKey;
  datastore: LevelDatastore;
  gater: Gate;
  gossip: GossipServiceOptions;
  streams: StreamTally;
  timings: Timings;
  whenReady: WhenReady;
  isDevelopment: DiscoveryParts["isDevelopment"];
  ipOf: DiscoveryParts["ipOf"];
}

/** The services that the rest of this package talks to. */
export interface HostServices {
  gossip: GossipService;
  kad?: KadDHT;
}

export interface Host {
  libp2p: Libp2p;
  services: HostServices;
}

/** `spec/07 §D.5`: accepts a second of an address that may have four connections. */
const ACCEPTS_PER_SECOND = 5;
const ACCEPTS_FOR_ADDRESSES = 4;
const PENDING_INBOUND = 10;
const DAY = 86_400_000;

/** A node that was not started yet, with the set-up of `spec/07 §D.2` to `§D.5`. */
export async function createHost(options: NetworkingOptions, parts: Libp2pParts): Promise<Host> {
  const { limits, trustedPeers } = options;
  const all = limits.maximum + trustedPeers.length + PENDING_INBOUND;
  const libp2p = await createLibp2p({
    start: false,
    privateKey: parts.key,
    datastore: parts.datastore,
    nodeInfo: { userAgent: options.clientId },
    addresses: { listen: [...options.listen], announce: [...options.announce] },
    transportManager: { faultTolerance: FaultTolerance.FATAL_ALL },
    transports: [tcp({ backlog: 64, maxConnections: all })],
    connectionEncrypters: [noise()],
    streamMuxers: [muxer(parts.streams)],
    connectionGater: parts.gater,
    connectionManager: {
      // The gate holds the real limits; this one is only never to be reached, since the library would choose at random.
      maxConnections: all,
      maxIncomingPendingConnections: PENDING_INBOUND,
      inboundConnectionThreshold: Math.ceil((ACCEPTS_PER_SECOND * limits.perAddress) / ACCEPTS_FOR_ADDRESSES),
      inboundUpgradeTimeout: parts.timings.handshake,
      dialTimeout: parts.timings.handshake,
      maxParallelDials: 16,
      maxDialQueueLength: 128,
      maxPeerAddrsToDial: 8,
      reconnectRetries: 0,
    },
    connectionMonitor: { pingInterval: 15_000, pingTimeout: { minTimeout: 10_000 } },
    peerStore: { maxAddressAge: 7 * DAY, maxPeerAge: 7 * DAY },
    services: services(options, parts),
  });
  return { libp2p, services: libp2p.services as unknown as HostServices };
}

/** The library types each service by its own components; put together, they are all of them. */
type ServiceFactory = (components: never) => unknown;

function services(options: NetworkingOptions, parts: Libp2pParts): Record<string, never> {
  const all: Record<string, ServiceFactory> = {
    identify: identify(),
    ping: ping(),
    gossip: afterStatus(gossipService(parts.gossip), parts.whenReady),
  };
  if (options.discovery) {
    const { gater, isDevelopment, ipOf } = parts;
    const isListening = options.listen.length > 0;
    const create = discovery({ label: parts.gossip.label, gater, isListening, isDevelopment, ipOf });
    all.kad = afterStatus(create, parts.whenReady);
  }
  if (options.natTraversal) {
    all.autoNAT = afterStatus(autoNAT(), parts.whenReady);
    all.upnp = uPnPNAT();
  }
  return all as unknown as Record<string, never>;
}
