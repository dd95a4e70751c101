import type { NetworkConfig } from "@cambium/config";
import type { PeerId, WireName } from "./interface.js";

/** Limits on connections (`spec/07 §D.5`). */
export interface PeerLimits {
  /** All connections. */
  maximum: number;
  /** Below this number the node dials more peers. */
  target: number;
  /**
   * Reserved for outbound peers, on each wire. A deployed peer serves 12 bodies a second, so their number limits the
   * speed of a synchronisation.
   */
  minimumOutbound: number;
  /** An IPv6 address counts as its /64. */
  perAddress: number;
  /** Per /16 of IPv4 or /32 of IPv6. */
  perSubnet: number;
}

/** Settings of the deployed network's wire (`spec/07 §A`). */
export interface RlpxWireOptions {
  /**
   * Addresses to listen on with TCP; the first also with UDP, for discovery. If empty, the node accepts no connections.
   */
  hosts: readonly string[];
  /** TCP and UDP port; 0 picks a free one. */
  port: number;
  /** Address that others reach this node at, announced in discovery. Undefined if it is unknown. */
  publicHost: string | undefined;
  /** Nodes to stay connected to: enode URLs. */
  nodes: readonly string[];
  /** Nodes at which discovery starts. */
  bootNodes: readonly { host: string; port: number }[];
}

/** An operator's settings. Addresses are multiaddrs; those of boot nodes end in `/p2p/<peer id>`. */
export interface NetworkingOptions {
  network: NetworkConfig;
  /** Wires to use, at least one. */
  wires: readonly WireName[];
  rlpx: RlpxWireOptions;
  /** Folder of the node key, the known peers, scores and bans. */
  folder: string;
  /** If empty, the node accepts no connections. */
  listen: readonly string[];
  /** Announced to peers instead of the listen addresses, unless it is empty. */
  announce: readonly string[];
  bootNodes: readonly string[];
  /** Whether to find peers through other peers. */
  discovery: boolean;
  /** Whether to ask routers for a port mapping (UPnP). */
  natTraversal: boolean;
  limits: PeerLimits;
  trustedPeers: readonly PeerId[];
  bannedPeers: readonly PeerId[];
  /** Addresses and blocks `a.b.c.d/bits`. */
  bannedAddresses: readonly string[];
  /** Whether snapshots are served to others. */
  servesSnapshots: boolean;
  /** At most 64 bytes of UTF-8. */
  clientId: string;
}

/** `spec/07 §D.5`. */
export const PUBLIC_LIMITS: PeerLimits = {
  maximum: 60,
  target: 30,
  minimumOutbound: 16,
  perAddress: 4,
  perSubnet: 16,
};

/** For development networks, whose nodes may all be on one machine. */
export const DEVELOPMENT_LIMITS: PeerLimits = { ...PUBLIC_LIMITS, perAddress: 60, perSubnet: 60 };
