import { dev, local, type NetworkConfig } from "@cambium/config";

/** Whether a network is one's own, on one machine: blocks on demand, ways back. */
export function isLocal({ chainId }: NetworkConfig): boolean {
  return chainId === local.chainId;
}

/** Whether a network is for development, where the node holds keys that everybody knows (`spec/09 §13.3`). */
export function isForDevelopment(network: NetworkConfig): boolean {
  return isLocal(network) || network.chainId === dev.chainId;
}
