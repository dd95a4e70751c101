export {
  DEFAULT_RPC_CONFIG,
  type HttpConfig,
  type ModuleConfig,
  moduleConfig,
  type RateLimitConfig,
  type RpcConfig,
  type WsConfig,
} from "./config.js";
export {
  createDispatcher,
  type Dispatcher,
  type DispatcherModules,
  type RpcResponse,
  type TextAnswer,
} from "./dispatcher.js";
export { RPC_CODES, RpcError, type RpcErrorName, type RpcErrorObject } from "./errors.js";
export type { HeavyExecutor } from "./heavy/heavy-executor.js";
export { InProcessExecutor } from "./heavy/in-process.js";
export { ThreadedExecutor } from "./heavy/threaded-executor.js";
export type { ListeningAddress } from "./http/listener.js";
export type { MethodDefinition, OptionalParts, Param, RpcModules } from "./method.js";
export { METHODS } from "./methods/index.js";
export type { JsonSchema, ParamType } from "./param-type.js";
export { createRpcServer, type RpcServer, type RpcServerOptions, type ServerAddresses } from "./rpc-server.js";
export type {
  ChainEventSource,
  PeerSource,
  PendingTransactionSource,
  SyncStatus,
  SyncStatusSource,
} from "./sources.js";
