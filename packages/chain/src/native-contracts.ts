import type { NetworkConfig } from "@cambium/config";
import { createNativeContracts } from "@cambium/contracts";
import { createEvm, type Evm, precompiles } from "@cambium/evm";

/** The interpreter together with every contract that is no EVM code, of all heights. */
export function createChainEvm(network: NetworkConfig): Evm {
  return createEvm({ network, contracts: [...precompiles, ...createNativeContracts(network)] });
}
