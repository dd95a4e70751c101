import { createBridgeContract, FederatorAddresses } from "@cambium/bridge";
import type { NetworkConfig } from "@cambium/config";
import { createNativeContracts } from "@cambium/contracts";
import { createEvm, type Evm, precompiles } from "@cambium/evm";
import type { NativeContract } from "@cambium/state";

/** Every contract that is no EVM code, of all heights. */
export function allNativeContracts(network: NetworkConfig): NativeContract[] {
  const federators = new FederatorAddresses(network);
  return [...precompiles, createBridgeContract(network), ...createNativeContracts(federators)];
}

/** The interpreter together with every contract that is no EVM code, of all heights. */
export function createChainEvm(network: NetworkConfig): Evm {
  return createEvm({ network, contracts: allNativeContracts(network) });
}
