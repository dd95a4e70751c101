import type { NetworkConfig } from "./network.js";

/** Ids of the public networks, on which development tools are disabled except on a local fork. */
const PUBLIC_CHAIN_IDS: readonly number[] = [30, 31];

/** Whether a network runs on a single machine, with blocks on demand and any timestamps. */
export function isLocal(network: NetworkConfig): boolean {
  return isForDevelopment(network) && network.consensus.validPeriod === 0;
}

/**
 * Whether a network is for development: the node holds well-known keys (`spec/09 §13.3`), and tools may change the
 * state. The configuration decides. On a public network's id it has no effect, except for a fork, which has no peers.
 */
export function isForDevelopment({ chainId, fork, isForDevelopment = false }: NetworkConfig): boolean {
  return isForDevelopment && (fork !== undefined || !PUBLIC_CHAIN_IDS.includes(chainId));
}
