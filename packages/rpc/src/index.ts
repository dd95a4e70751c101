export { DEFAULT_RPC_CONFIG, type HttpConfig, type ModuleConfig, moduleConfig, type RpcConfig } from "./config.js";
export {
  createDispatcher,
  type Dispatcher,
  type DispatcherModules,
  type RpcLogger,
  type RpcResponse,
  type TextAnswer,
} from "./dispatcher.js";
export { RPC_CODES, RpcError, type RpcErrorName, type RpcErrorObject } from "./errors.js";
export type { ListeningAddress } from "./http/listener.js";
export type { MethodDefinition, Param, RpcModules, SyncStatus } from "./method.js";
export { METHODS } from "./methods/index.js";
export type { JsonSchema, ParamType } from "./param-type.js";
export { createRpcServer, type RpcServer, type RpcServerOptions } from "./rpc-server.js";
