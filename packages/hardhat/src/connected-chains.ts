import {
  type DevelopmentChain,
  type DevelopmentChainOptions,
  ProviderRpcError,
  startDevelopmentChain,
} from "@cambium/dev";
import type { Connection, JsonRpcRequest, JsonRpcResponse } from "./hardhat-types.js";

/** A development chain for each connection to a network. */
export class ConnectedChains {
  private readonly chains = new WeakMap<Connection, Promise<DevelopmentChain>>();

  constructor(
    private readonly network: string,
    private readonly options: DevelopmentChainOptions,
  ) {}

  isFor({ networkName }: Connection): boolean {
    return networkName === this.network;
  }

  /** Answers a request. The first request of a connection waits for its chain to start. */
  async answer(connection: Connection, { id, method, params }: JsonRpcRequest): Promise<JsonRpcResponse> {
    const { provider } = await this.chainOf(connection);
    try {
      return { jsonrpc: "2.0", id, result: await provider.request({ method, params }) };
    } catch (error) {
      if (!(error instanceof ProviderRpcError)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  /** Stops the chain of a connection, if it has one. */
  async stop(connection: Connection): Promise<void> {
    const chain = this.chains.get(connection);
    this.chains.delete(connection);
    await (await chain)?.stop();
  }

  private chainOf(connection: Connection): Promise<DevelopmentChain> {
    const known = this.chains.get(connection) ?? startDevelopmentChain(this.options);
    this.chains.set(connection, known);
    return known;
  }
}
