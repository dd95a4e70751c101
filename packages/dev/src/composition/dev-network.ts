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

/** Returns the local network with its own funded accounts; missing options are as on that network. */
export function devNetwork(options: DevNetworkOptions): NetworkConfig {
  const { chainId, accounts, balance, gasLimit, minimumGasPrice, timestamp } = options;
  const [bridge] = local.genesis.accounts;
  const funded = accounts.map((address) => ({ address, balance }));
  return {
    ...local,
    chainId,
    // The sequential list has all gas of a block: a transaction can use it all, even after the limit was raised.
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
