import type { NetworkConfig } from "@cambium/config";
import type { PeerId, WireName } from "./interface.js";

/** Limits on connections (`spec/07 §D.5`). */
export interface PeerLimits {
  /** Maximum number of connections. */
  maximum: number;
  /** Number of peers below which the node dials more. */
  target: number;
  /**
   * Number of connections reserved for outbound peers, on each wire. A deployed peer serves 12 bodies a second, so
   * their number limits the speed of a synchronisation.
   */
  minimumOutbound: number;
  /** Maximum number of connections per address; an IPv6 address counts as its /64. */
  perAddress: number;
  /** Maximum number of connections per /16 of IPv4 or /32 of IPv6. */
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
  /** Address at which other nodes reach this node, announced in discovery. Undefined if it is unknown. */
  publicHost: string | undefined;
  /** Enode URLs of nodes to stay connected to. */
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
  /** Addresses to listen on. If empty, the node accepts no connections. */
  listen: readonly string[];
  /** Addresses announced to peers instead of the listen addresses, unless empty. */
  announce: readonly string[];
  bootNodes: readonly string[];
  /** Whether to find peers through other peers. */
  discovery: boolean;
  /** Whether to ask routers for a port mapping (UPnP). */
  natTraversal: boolean;
  limits: PeerLimits;
  trustedPeers: readonly PeerId[];
  bannedPeers: readonly PeerId[];
  /** Banned addresses and blocks `a.b.c.d/bits`. */
  bannedAddresses: readonly string[];
  /** Whether snapshots are served to peers. */
  servesSnapshots: boolean;
  /** Name and version of the client, at most 64 bytes of UTF-8. */
  clientId: string;
}

/** Limits of public networks (`spec/07 §D.5`). */
export const PUBLIC_LIMITS: PeerLimits = {
  maximum: 60,
  target: 30,
  minimumOutbound: 16,
  perAddress: 4,
  perSubnet: 16,
};

/** Limits of development networks, whose nodes may all be on one machine. */
export const DEVELOPMENT_LIMITS: PeerLimits = { ...PUBLIC_LIMITS, perAddress: 60, perSubnet: 60 };
