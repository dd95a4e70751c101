import type { ForkConfig, NetworkConfig } from "./network.js";

/** Changes of a fork to the network of its source, besides the block where it begins. */
export interface ForkOptions {
  chainId?: number | undefined;
  /** Minimum gas of the sequential list. */
  gasLimit?: number | undefined;
}

/**
 * A local network whose chain continues that of another network after a block. Rules keep their heights; blocks have
 * difficulty 1 and any timestamps, and tools of developers may change the state.
 */
export function forkedNetwork(base: NetworkConfig, fork: ForkConfig, options: ForkOptions = {}): NetworkConfig {
  const {
    deployedWire: _wire,
    publishedState: _published,
    workCheckpoint: _checkpoint,
    consensus,
    ...inherited
  } = base;
  const { minimumDifficultyRskip290: _minimum, ...constants } = consensus;
  const { chainId = base.chainId, gasLimit } = options;
  return {
    ...inherited,
    name: base.name.endsWith("-fork") ? base.name : `${base.name}-fork`,
    chainId,
    consensus: {
      ...constants,
      minimumDifficulty: 1n,
      validPeriod: 0,
      ...(gasLimit === undefined ? {} : { minimumSequentialGas: gasLimit }),
    },
    isForDevelopment: true,
    fork,
  };
}
