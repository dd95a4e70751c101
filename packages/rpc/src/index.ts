export { DEFAULT_RPC_CONFIG, moduleConfig, type RpcConfig, type ServingChanges } from "./config.js";
export { RpcServerError } from "./errors.js";
export { CallingThreadFirst, LOCAL_CALLS, SHARED_CALLS } from "./heavy/calling-thread-first.js";
export { ThreadedExecutor } from "./heavy/threaded-executor.js";
export { createSideServer } from "./http/side-server.js";
export { type StartingServer, serveStarting } from "./http/starting-server.js";
export type { RpcServer, RpcServerOptions, ServedChain, ServerAddresses } from "./interface.js";
export type { ProgramConnection } from "./program-connection.js";
export { createReplicaServer, createRpcServer } from "./rpc-server.js";
