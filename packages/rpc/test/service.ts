import { createDispatcher, DEFAULT_RPC_CONFIG, type Dispatcher, METHODS, type RpcConfig } from "../src/index.js";
import type { FakeChain } from "./fake-chain.js";

export const SILENT = { error() {}, info() {} };
export const CLIENT_VERSION = "Cambium/0.1.0/linux/node20/RELEASE-1a2b3c4";

/** The defaults with some members replaced. */
export function config(changes: Partial<RpcConfig> = {}): RpcConfig {
  return { ...DEFAULT_RPC_CONFIG, ...changes };
}

export function dispatcherOver(chain: FakeChain, changes: Partial<RpcConfig> = {}, logger = SILENT): Dispatcher {
  const modules = { chain: chain.reader(), config: config(changes), clientVersion: CLIENT_VERSION };
  return createDispatcher({ ...modules, syncStatus: () => false }, METHODS, logger);
}

/** Whatever a JSON text holds. */
export type Json = ReturnType<typeof JSON.parse>;

/** The `result` of one request; an error object is thrown as it is. */
export async function ask(dispatcher: Dispatcher, method: string, ...params: unknown[]): Promise<Json> {
  const response: Json = await dispatcher.handle({ jsonrpc: "2.0", id: 1, method, params });
  if (response.error !== undefined) throw response.error;
  return response.result;
}
