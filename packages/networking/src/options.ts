import type { NetworkConfig } from "@cambium/config";
import type { PeerId } from "./interface.js";

/** How many peers, from where (`spec/07 §D.5`). */
export interface PeerLimits {
  /** Connections of all kinds. */
  maximum: number;
  /** New ones are looked for below this number. */
  target: number;
  /** Places that those who call us cannot take. */
  minimumOutbound: number;
  /** An IPv6 address counts as its /64. */
  perAddress: number;
  /** Per /16 of IPv4 or /32 of IPv6. */
  perSubnet: number;
}

/** What an operator decides about peers. Addresses are multiaddrs; those of boot nodes end in `/p2p/<peer id>`. */
export interface NetworkingOptions {
  network: NetworkConfig;
  /** Folder of the node key, known peers, scores and bans. */
  folder: string;
  /** Empty: nobody can connect to us. */
  listen: readonly string[];
  /** What others are told instead of what we listen on; empty: what we listen on. */
  announce: readonly string[];
  bootNodes: readonly string[];
  /** Whether peers are also learned from peers (kad-dht). */
  discovery: boolean;
  /** Whether routers are asked for a way in (UPnP). */
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
  minimumOutbound: 10,
  perAddress: 4,
  perSubnet: 16,
};

/** On networks of development all nodes may be on one machine. */
export const DEVELOPMENT_LIMITS: PeerLimits = { ...PUBLIC_LIMITS, perAddress: 60, perSubnet: 60 };
