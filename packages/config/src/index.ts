export {
  BLOCK_HEADER_ADDRESS,
  BRIDGE_ADDRESS,
  ENVIRONMENT_ADDRESS,
  HD_WALLET_UTILS_ADDRESS,
  REWARD_ADDRESS,
  REWARD_SENDER,
  STATE_EDITOR_ACCOUNT,
  STATE_EDITOR_ADDRESS,
} from "./addresses.js";
export { bridgeOperators } from "./bridge-operators.js";
export {
  FORK_DETECTION_HEADERS,
  GAS_LIMIT_DIVISOR,
  GAS_PRICE_CAP_FACTOR,
  MAX_CHAIN_ID,
  MAX_CODE_SIZE,
  MAX_EXTRA_DATA,
  MAX_INIT_CODE_SIZE,
  MAX_INT64,
  MAX_MERKLE_PROOF,
  MIN_GAS_LIMIT,
  PARALLEL_LISTS,
  UNCLE_GENERATION_LIMIT,
  UNCLE_LIST_LIMIT,
} from "./constants.js";
export { isForDevelopment, isLocal } from "./development.js";
export { ConfigError } from "./errors.js";
export { type ForkOptions, forkedNetwork } from "./forked-network.js";
export { type KnownBlock, knownBlocks } from "./known-blocks.js";
export { loadNetwork, networkJson } from "./load.js";
export type {
  FederationFormat,
  ForkConfig,
  GenesisAccount,
  NetworkConfig,
  ParentChain,
  PublishedStateConfig,
  WorkCheckpoint,
} from "./network.js";
export { local, main, NETWORKS, type NetworkName, test } from "./networks.js";
export { hasExecutionLists, headerVersionAt, isActivating, isActive, type Rules, rulesAt } from "./rules.js";
export { RULE_NAMES, type RuleName, UPGRADES, type UpgradeName } from "./upgrades.js";
