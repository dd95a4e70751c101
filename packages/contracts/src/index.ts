import type { NetworkConfig } from "@cambium/config";
import type { NativeContract } from "@cambium/state";
import { blockHeader } from "./block-header/index.js";
import { createBridgeContract } from "./bridge/index.js";
import { environment } from "./environment/index.js";
import { hdWalletUtils } from "./hd-wallet-utils/index.js";
import { createRewardContract } from "./reward/index.js";

export * from "./abi.js";
export { NativeContractError } from "./errors.js";
export { blockHeader, createBridgeContract, createRewardContract, environment, hdWalletUtils };

/** The contracts that are part of the node itself (`spec/04 §6.1`), for one network. */
export function createNativeContracts(network: NetworkConfig): NativeContract[] {
  return [createBridgeContract(network), createRewardContract(network), hdWalletUtils, blockHeader, environment];
}
