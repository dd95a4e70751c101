import type { ChainReader } from "@cambium/chain";
import type { RpcConfig } from "./config.js";
import { createDispatcher, type RpcLogger } from "./dispatcher.js";
import { HttpServer, type ListeningAddress } from "./http/http-server.js";
import type { SyncStatus } from "./method.js";
import { METHODS } from "./methods/index.js";

export interface RpcServerOptions {
  chain: ChainReader;
  config: RpcConfig;
  /** Answer of `web3_clientVersion`: `<Name>/<version>/<os>/<runtime>/<modifier>-<build>`. */
  clientVersion: string;
  logger: RpcLogger;
  /** Left out: a node that does not synchronise. */
  syncStatus?: () => SyncStatus;
}

export interface RpcServer {
  /** Starts the HTTP listener. Rejects with {@link RpcError} `LISTEN_FAILED`. */
  listen(): Promise<ListeningAddress>;
  /** Lets requests under way finish, within `config.http.closeTimeout`. */
  close(): Promise<void>;
  /** Answers one request object or batch without HTTP; undefined when it held only notifications. Never rejects. */
  handle(request: unknown): Promise<unknown>;
}

/** The node's JSON-RPC service over HTTP. Throws {@link RpcError} `INVALID_CONFIGURATION`. */
export function createRpcServer(options: RpcServerOptions): RpcServer {
  const { chain, config, clientVersion, logger, syncStatus = () => false } = options;
  const dispatcher = createDispatcher({ chain, config, clientVersion, syncStatus }, METHODS, logger);
  const server = new HttpServer(config, dispatcher);
  return {
    async listen() {
      const address = await server.listen();
      logger.info(address, "JSON-RPC over HTTP is listening");
      return address;
    },
    close: () => server.close(),
    handle: (request) => dispatcher.handle(request),
  };
}
