import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Chain, openChain, openLevelDatabase } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { createRpcServer, DEFAULT_RPC_CONFIG, type ListeningAddress, type RpcServer } from "@cambium/rpc";
import type { Logger } from "pino";

export interface NodeOptions {
  network: NetworkConfig;
  dataDir: string;
  http: { host: string; port: number };
  /** `<Name>/<version>`, the start of what `web3_clientVersion` answers. */
  version: string;
}

/** Folder of the database below a data folder. */
export function databasePath(dataDir: string): string {
  return join(dataDir, "chain");
}

/** A running node: database, chain and JSON-RPC, started in this order and stopped in the opposite one. */
export class Node {
  private constructor(
    readonly chain: Chain,
    readonly address: ListeningAddress,
    private readonly rpc: RpcServer,
    private readonly logger: Logger,
  ) {}

  /**
   * Opens or creates the database and serves it. What was opened is closed again when a later part fails.
   * Rejects with `ChainError` or `RpcError`.
   */
  static async start(options: NodeOptions, logger: Logger): Promise<Node> {
    mkdirSync(options.dataDir, { recursive: true });
    const database = await openLevelDatabase(databasePath(options.dataDir));
    let chain: Chain | undefined;
    try {
      chain = await openChain({
        network: options.network,
        database,
        onListenerError: (error) => logger.error({ err: error }, "A listener of the chain failed"),
      });
      const { header, hash } = chain.best();
      logger.info({ number: header.number, hash: Buffer.from(hash).toString("hex") }, "Chain opened");
      const rpc = createRpcServer({
        chain,
        config: { ...DEFAULT_RPC_CONFIG, http: { ...DEFAULT_RPC_CONFIG.http, ...options.http } },
        clientVersion: clientVersion(options.version),
        logger,
      });
      return new Node(chain, await rpc.listen(), rpc, logger);
    } catch (error) {
      await (chain ?? database).close();
      throw error;
    }
  }

  /** Lets requests and writes under way finish; the chain closes its database. */
  async stop(): Promise<void> {
    await this.rpc.close();
    await this.chain.close();
    this.logger.info("Stopped");
  }
}

/** `<Name>/<version>/<os>/<runtime>/<modifier>-<build>` (`spec/09 §7.1`). */
function clientVersion(version: string): string {
  return `${version}/${process.platform}-${process.arch}/node${process.versions.node}/RELEASE-${version.split("/")[1]}`;
}
