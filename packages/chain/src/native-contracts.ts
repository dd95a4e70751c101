import type { NetworkConfig } from "@cambium/config";
import { createNativeContracts } from "@cambium/contracts";
import { createEvm, type Evm, precompiles } from "@cambium/evm";
import type { NativeContract } from "@cambium/state";

/** Every contract that is no EVM code, of all heights. */
export function allNativeContracts(network: NetworkConfig): NativeContract[] {
  return [...precompiles, ...createNativeContracts(network)];
}

/** The interpreter together with every contract that is no EVM code, of all heights. */
export function createChainEvm(network: NetworkConfig): Evm {
  return createEvm({ network, contracts: allNativeContracts(network) });
}
