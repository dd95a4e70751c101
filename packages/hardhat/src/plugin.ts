import type { DevelopmentChainOptions } from "@cambium/dev";
import { ConnectedChains } from "./connected-chains.js";
import type { Connection, JsonRpcRequest, JsonRpcResponse } from "./hardhat-types.js";

/** Name of the network. */
const NETWORK = "cambium";
/** URL of the network, which Hardhat requires; it receives no requests. */
const URL_OF_NOTHING = "http://cambium.invalid";

/** The part of a user's configuration that the plugin changes. */
interface Networks {
  networks?: Record<string, object>;
}

/**
 * Creates the plugin. The network `cambium` of Hardhat 3 is then a development chain in Hardhat's process. Each
 * connection gets a new chain with `options`.
 */
export function cambium(options: DevelopmentChainOptions = {}) {
  const configHandlers = {
    /** Adds the network. */
    async extendUserConfig<C extends object>(config: C, next: (config: C) => Promise<C>): Promise<C> {
      const extended = await next(config);
      const { networks } = extended as Networks;
      return {
        ...extended,
        networks: { ...networks, [NETWORK]: { type: "http", url: URL_OF_NOTHING, ...networks?.[NETWORK] } },
      };
    },
  };
  const createNetworkHandlers = () => {
    const chains = new ConnectedChains(NETWORK, options);
    return {
      /** Answers requests of the network, which therefore do not reach Hardhat's own provider. */
      async onRequest<X, N extends Connection, Q extends JsonRpcRequest>(
        context: X,
        connection: N,
        request: Q,
        next: (context: X, connection: N, request: Q) => Promise<JsonRpcResponse>,
      ): Promise<JsonRpcResponse> {
        return chains.isFor(connection) ? chains.answer(connection, request) : next(context, connection, request);
      },
      async closeConnection<X, N extends Connection>(
        context: X,
        connection: N,
        next: (context: X, connection: N) => Promise<void>,
      ): Promise<void> {
        await next(context, connection);
        await chains.stop(connection);
      },
    };
  };
  return {
    id: NETWORK,
    npmPackage: "@cambium/hardhat",
    hookHandlers: {
      config: async () => ({ default: async () => configHandlers }),
      network: async () => ({ default: async () => createNetworkHandlers() }),
    },
  };
}
