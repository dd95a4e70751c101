import "../polyfill.js";
import { noise } from "@chainsafe/libp2p-noise";
import { identify } from "@libp2p/identify";
import { FaultTolerance, type Libp2p, type PrivateKey } from "@libp2p/interface";
import type { KadDHT } from "@libp2p/kad-dht";
import { ping } from "@libp2p/ping";
import { tcp } from "@libp2p/tcp";
import type { LevelDatastore } from "datastore-level";
import { createLibp2p } from "libp2p";
import type { NetworkingOptions } from "../../options.js";
import type { Timings } from "../../shared/timings.js";
import { createGossipSub, type GossipSubOptions } from "../gossip/gossipsub.js";
import type { ValidatingGossipSub } from "../patches/gossip-verdicts.js";
import { recordProtocolsOnce } from "../patches/protocol-records.js";
import { afterStatus, type WhenReady } from "./after-status.js";
import { type ConnectionGate, PENDING_INBOUND } from "./connection-gate.js";
import { type DiscoveryParts, discovery } from "./discovery.js";
import { muxer, type StreamTally } from "./muxer.js";

export interface Libp2pParts {
  key: PrivateKey;
  datastore: LevelDatastore;
  gater: ConnectionGate;
  gossip: GossipSubOptions;
  streams: StreamTally;
  timings: Timings;
  whenReady: WhenReady;
  isDevelopment: DiscoveryParts["isDevelopment"];
  ipOf: DiscoveryParts["ipOf"];
}

/** The services that this package uses. */
export interface HostServices {
  gossip: ValidatingGossipSub;
  kad?: KadDHT;
}

export interface Host {
  libp2p: Libp2p;
  services: HostServices;
}

/** Maximum number of connections accepted per second from an address, which may have four (`spec/07 §D.5`). */
const ACCEPTS_PER_SECOND = 5;
const ACCEPTS_FOR_ADDRESSES = 4;
const DAY = 86_400_000;

/**
 * Creates the libp2p node of `spec/07 §D.2` to `§D.5`, not started. Throws `NetworkingError` `LIBRARY_CHANGED`.
 */
export async function createHost(options: NetworkingOptions, parts: Libp2pParts): Promise<Host> {
  const { limits, trustedPeers } = options;
  const all = limits.maximum + trustedPeers.length + 2 * PENDING_INBOUND;
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
      // Limit above that of the gate: the library would close connections at random.
      maxConnections: all,
      // Limit above that of the gate, which ends connections to make room: the library would refuse new ones.
      maxIncomingPendingConnections: 2 * PENDING_INBOUND,
      inboundConnectionThreshold: Math.ceil((ACCEPTS_PER_SECOND * limits.perAddress) / ACCEPTS_FOR_ADDRESSES),
      inboundUpgradeTimeout: parts.timings.handshake,
      dialTimeout: parts.timings.handshake,
      maxParallelDials: 16,
      maxDialQueueLength: 128,
      maxPeerAddrsToDial: 8,
      reconnectRetries: 0,
    },
    // Disabled because the exchange of Status finds lost connections.
    connectionMonitor: { enabled: false },
    peerStore: { maxAddressAge: 7 * DAY, maxPeerAge: 7 * DAY },
    services: await services(options, parts),
  });
  recordProtocolsOnce(libp2p);
  return { libp2p, services: libp2p.services as unknown as HostServices };
}

/** The library types each service by the components that it uses; here they are all present. */
type ServiceFactory = (components: never) => unknown;

async function services(options: NetworkingOptions, parts: Libp2pParts): Promise<Record<string, never>> {
  const all: Record<string, ServiceFactory> = {
    identify: identify(),
    ping: ping(),
    gossip: afterStatus(createGossipSub(parts.gossip), parts.whenReady),
  };
  if (options.discovery) {
    const { gater, isDevelopment, ipOf } = parts;
    const isListening = options.listen.length > 0;
    const create = discovery({ label: parts.gossip.label, gater, isListening, isDevelopment, ipOf });
    all.kad = afterStatus(create, parts.whenReady);
  }
  if (options.natTraversal) {
    // Few nodes use these modules, and they load slowly.
    const [{ autoNAT }, { uPnPNAT }] = await Promise.all([import("@libp2p/autonat"), import("@libp2p/upnp-nat")]);
    all.autoNAT = afterStatus(autoNAT(), parts.whenReady);
    all.upnp = uPnPNAT();
  }
  return all as unknown as Record<string, never>;
}
