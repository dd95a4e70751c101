import type { NetworkConfig } from "@cambium/config";
import type { LocalMiningMode } from "@cambium/miner";
import { DEVELOPMENT_LIMITS, type NetworkingOptions, type PeerLimits, PUBLIC_LIMITS } from "@cambium/networking";
import type { RpcConfig } from "@cambium/rpc";
import type { Checkpoint } from "@cambium/sync";
import { isForDevelopment, isLocal } from "./networks.js";

/** How blocks are made here. */
export interface MiningOptions {
  /** Whether work is given out to merged miners. */
  server: boolean;
  /** 20 bytes; who gets the fees. Local networks have one by default. */
  rewardAddress?: Uint8Array;
  /** Where the minimum gas price of own blocks goes, in wei. */
  minimumGasPrice: bigint;
  /** The built-in miner of a local network. */
  local: LocalMiningMode;
}

/** Other nodes: which, how many, and where they find this one. */
export interface PeerOptions extends Omit<NetworkingOptions, "network" | "folder" | "clientId"> {
  /** Block that every chain must contain. */
  checkpoint?: Checkpoint | undefined;
  /** How an empty database gets its chain: by executing every block, or with the state of a recent one. */
  syncMode: "full" | "snapshot";
}

/** Where metrics are served for Prometheus. */
export interface MetricsOptions {
  host: string;
  /** 0 lets the system choose. */
  port: number;
}

export interface NodeOptions {
  network: NetworkConfig;
  dataDir: string;
  rpc: RpcConfig;
  mining: MiningOptions;
  /** Whether the node holds keys. It never does for an endpoint with API keys. */
  wallet: boolean;
  /** Left out: a node by itself. */
  peers?: PeerOptions | undefined;
  metrics?: MetricsOptions | undefined;
  /** `<Name>/<version>`, the start of what `web3_clientVersion` answers. */
  version: string;
}

/** What a network does unless its operator says otherwise (`spec/03 §7.1`, `spec/09 §14`). */
export function networkDefaults(network: NetworkConfig): Pick<NodeOptions, "mining" | "wallet"> {
  return {
    mining: { server: isLocal(network), minimumGasPrice: 0n, local: { kind: "on-demand" } },
    wallet: isForDevelopment(network),
  };
}

/** TCP port by chain id (`spec/07 §D.3`); none of them is one of the deployed client's. */
const PORTS: Readonly<Record<number, number>> = { 30: 30330, 31: 30331, 32: 30332, 33: 30333 };

/** Where a node listens for peers, and how many it takes, unless its operator says otherwise (`spec/07 §D.3`, `§D.5`). */
export function peerDefaults(network: NetworkConfig): { hosts: string[]; port: number; limits: PeerLimits } {
  const development = isForDevelopment(network);
  return {
    hosts: development ? ["127.0.0.1"] : ["0.0.0.0", "::"],
    port: PORTS[network.chainId] ?? 30330,
    limits: development ? DEVELOPMENT_LIMITS : PUBLIC_LIMITS,
  };
}
