import { createBridgeContract, FederatorAddresses } from "@cambium/bridge";
import { isForDevelopment, type NetworkConfig } from "@cambium/config";
import { createNativeContracts, stateEditor } from "@cambium/contracts";
import { createEvm, type Evm, type EvmOptions, precompiles } from "@cambium/evm";
import type { NativeContract } from "@cambium/state";

/** All precompiled and native contracts of a network, regardless of their activation heights. */
export function allNativeContracts(network: NetworkConfig): NativeContract[] {
  const federators = new FederatorAddresses(network);
  const own = isForDevelopment(network) ? [stateEditor] : [];
  return [...precompiles, createBridgeContract(), ...createNativeContracts(federators), ...own];
}

/** Creates the EVM with all precompiled and native contracts of a network. */
export function createChainEvm(network: NetworkConfig, options: Pick<EvmOptions, "isInterrupted"> = {}): Evm {
  return createEvm({ network, contracts: allNativeContracts(network), ...options });
}
