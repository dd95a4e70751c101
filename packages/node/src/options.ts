import type { NetworkConfig } from "@cambium/config";
import type { LocalMiningMode } from "@cambium/miner";
import type { RpcConfig } from "@cambium/rpc";
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

export interface NodeOptions {
  network: NetworkConfig;
  dataDir: string;
  rpc: RpcConfig;
  mining: MiningOptions;
  /** Whether the node holds keys. It never does for an endpoint with API keys. */
  wallet: boolean;
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
