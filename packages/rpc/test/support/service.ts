import { ChainFeed, FilterRegistry, METHODS } from "@cambium/api";
import type { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { SILENT } from "@cambium/test-utils/silent-logger";
import {
  createRpcServer,
  DEFAULT_RPC_CONFIG,
  type RpcConfig,
  type RpcServer,
  type RpcServerOptions,
} from "../../src/index.js";
import { createDispatcher, type DispatcherParts } from "../../src/requests/dispatcher.js";
import type { Dispatcher } from "../../src/requests/interface.js";

export { SILENT };
export const CLIENT_VERSION = "Cambium/0.1.0/linux/node20/RELEASE-1a2b3c4";

/** The default configuration without WebSocket, changed as given. */
export function config(changes: Partial<RpcConfig> = {}): RpcConfig {
  return { ...DEFAULT_RPC_CONFIG, ws: { ...DEFAULT_RPC_CONFIG.ws, enabled: false }, ...changes };
}

/** Returns modules of a dispatcher over a chain in memory. */
export function modulesOver(
  chain: FakeChain,
  changes: Partial<RpcConfig> = {},
  parts: Partial<DispatcherParts> = {},
): DispatcherParts {
  const modules = { chain: chain.reader(), config: config(changes), clientVersion: CLIENT_VERSION };
  const feed = new ChainFeed(modules.chain);
  const filters = new FilterRegistry({ ...modules, feed, logger: SILENT });
  return { ...modules, feed, pool: new FakePool().api(), filters, syncStatus: () => false, ...parts };
}

export function dispatcherOver(
  chain: FakeChain,
  changes: Partial<RpcConfig> = {},
  logger = SILENT,
  parts: Partial<DispatcherParts> = {},
): Dispatcher {
  return createDispatcher(modulesOver(chain, changes, parts), METHODS, logger);
}

/** A server over a chain in memory. */
export function serverOver(chain: FakeChain, full: RpcConfig, changes: Partial<RpcServerOptions> = {}): RpcServer {
  const { chain: reader, pool, clientVersion } = modulesOver(chain);
  return createRpcServer({ chain: reader, pool, clientVersion, config: full, logger: SILENT, ...changes });
}

/** Any JSON value. */
export type Json = ReturnType<typeof JSON.parse>;

/** Resolves to the `result` of a request; rejects with its error object. */
export async function ask(dispatcher: Dispatcher, method: string, ...params: unknown[]): Promise<Json> {
  const response: Json = await dispatcher.handle({ jsonrpc: "2.0", id: 1, method, params });
  if (response.error !== undefined) throw response.error;
  return response.result;
}
