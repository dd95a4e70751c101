export { CALL_OBJECT } from "./calls/call-object.js";
export { COMPATIBILITIES, DEFAULT_RPC_CONFIG, moduleConfig, type RpcConfig, type ServingChanges } from "./config.js";
export { RpcError } from "./errors.js";
export { CallingThreadFirst, LOCAL_CALLS, SHARED_CALLS } from "./heavy/calling-thread-first.js";
export type { HeavyExecutor } from "./heavy/heavy-executor.js";
export { ThreadedExecutor } from "./heavy/threaded-executor.js";
export { createSideServer } from "./http/side-server.js";
export { METHODS } from "./methods/index.js";
export type { ForkTarget } from "./requests/method.js";
export {
  createReplicaServer,
  createRpcServer,
  type RpcServer,
  type RpcServerOptions,
  type ServedChain,
  type ServerAddresses,
} from "./rpc-server.js";
export type { NodeStatus, PendingBlock, ReloadedConfig, SyncStatus, SyncStatusSource } from "./sources.js";
