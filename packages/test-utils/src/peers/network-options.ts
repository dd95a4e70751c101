import type { NetworkConfig } from "@cambium/config";
import { DEVELOPMENT_LIMITS, type NetworkingOptions, type RlpxWireOptions } from "@cambium/networking";

/** The deployed network's wire on a free port of 127.0.0.1. */
export const LOCAL_RLPX: RlpxWireOptions = {
  hosts: ["127.0.0.1"],
  port: 0,
  publicHost: undefined,
  nodes: [],
  bootNodes: [],
};

/** Options of a node that neither listens nor discovers peers. */
export function networkOptions(network: NetworkConfig, folder: string): NetworkingOptions {
  return {
    network,
    folder,
    wires: ["libp2p"],
    rlpx: LOCAL_RLPX,
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
