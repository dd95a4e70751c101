import { DEFAULT_RPC_CONFIG, moduleConfig, type RpcConfig } from "@cambium/rpc";

/** All modules enabled, with all their methods. */
export const ALL_MODULES: RpcConfig["modules"] = {
  ...DEFAULT_RPC_CONFIG.modules,
  chain: moduleConfig(),
  debug: moduleConfig(),
  trace: moduleConfig(),
  sco: moduleConfig(),
};
