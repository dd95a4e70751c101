import type { NetworkConfig } from "@cambium/config";
import { DEVELOPMENT_LIMITS, type NetworkingOptions } from "@cambium/networking";

/** Options of a node that neither listens nor discovers peers. */
export function networkOptions(network: NetworkConfig, folder: string): NetworkingOptions {
  return {
    network,
    folder,
    listen: [],
    announce: [],
    bootNodes: [],
    discovery: false,
    natTraversal: false,
    limits: DEVELOPMENT_LIMITS,
    trustedPeers: [],
    bannedPeers: [],
    bannedAddresses: [],
    servesSnapshots: false,
    clientId: "test/1",
  };
}
