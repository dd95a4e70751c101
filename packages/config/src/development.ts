import type { NetworkConfig } from "./network.js";
import { dev, local } from "./networks.js";

/** Whether a network runs on a single machine, with blocks on demand and snapshots to revert to. */
export function isLocal({ chainId }: NetworkConfig): boolean {
  return chainId === local.chainId;
}

/** Whether a network is for development, where the node holds well-known keys (`spec/09 §13.3`). */
export function isForDevelopment(network: NetworkConfig): boolean {
  return isLocal(network) || network.chainId === dev.chainId;
}
