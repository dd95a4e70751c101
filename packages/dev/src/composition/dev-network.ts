import { local, type NetworkConfig } from "@cambium/config";

/** Changes of a development chain to the local network. */
export interface DevNetworkOptions {
  chainId: number;
  accounts: readonly Uint8Array[];
  /** Wei of each account. */
  balance: bigint;
  /** Gas limit of every block; undefined: that of the local network. */
  gasLimit: number | undefined;
  /** Wei. */
  minimumGasPrice: bigint;
  /** Timestamp of the genesis block, in seconds. */
  timestamp: number;
}

/** The local network with its own funded accounts; whatever is not given is as on that network. */
export function devNetwork(options: DevNetworkOptions): NetworkConfig {
  const { chainId, accounts, balance, gasLimit, minimumGasPrice, timestamp } = options;
  const [bridge] = local.genesis.accounts;
  const funded = accounts.map((address) => ({ address, balance }));
  return {
    ...local,
    chainId,
    // All gas of a block is in its sequential list: a transaction can have it all, also after the limit was raised.
    consensus: { ...local.consensus, minimumSequentialGas: Number.MAX_SAFE_INTEGER },
    genesis: {
      ...local.genesis,
      gasLimit: gasLimit ?? local.genesis.gasLimit,
      minimumGasPrice,
      timestamp,
      accounts: [bridge!, ...funded],
    },
  };
}
