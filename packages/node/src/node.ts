import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Chain, openChain, openLevelDatabase } from "@cambium/chain";
import { toHex } from "@cambium/primitives";
import { createRpcServer, type ServerAddresses, ThreadedExecutor } from "@cambium/rpc";
import type { Logger } from "pino";
import { openAccounts } from "./accounts.js";
import { createMining, createPreviewBuilder } from "./mining.js";
import type { NodeOptions } from "./options.js";
import { pendingBlockOf } from "./pending-block.js";
import { openPool } from "./pool.js";

/** Folder of the database below a data folder. */
export function databasePath(dataDir: string): string {
  return join(dataDir, "chain");
}

/** A running node: its parts start in the order of what they need, and stop in the opposite one. */
export class Node {
  private constructor(
    readonly chain: Chain,
    readonly addresses: ServerAddresses,
    private readonly parts: Parts,
    private readonly logger: Logger,
  ) {}

  /**
   * Opens or creates the database and serves it. What was opened is closed again when a later part fails.
   * Rejects with `ChainError`, `TxPoolError`, `AccountsError`, `MinerError`, {@link NodeError} or `RpcError`.
   */
  static async start(options: NodeOptions, logger: Logger): Promise<Node> {
    const parts = new Parts();
    try {
      const chain = await openNodeChain(options, parts, logger);
      const { pool, close } = openPool(chain, options.dataDir, logger);
      parts.add(close);
      const mining = createMining(options, chain, pool, logger);
      parts.add(() => mining.stop());
      const location = databasePath(options.dataDir);
      const heavy = new ThreadedExecutor({ network: options.network, location, config: options.rpc });
      parts.add(() => heavy.close());
      const rpc = createRpcServer({
        chain,
        events: chain,
        pool,
        miner: mining.server,
        localMiner: mining.local,
        accounts: openAccounts(options, logger),
        pendingBlock: pendingBlockOf(chain, pool, createPreviewBuilder(options, chain, pool)),
        heavy,
        config: options.rpc,
        clientVersion: clientVersion(options.version),
        logger,
      });
      const addresses = await rpc.listen();
      parts.add(() => rpc.close());
      mining.start();
      return new Node(chain, addresses, parts, logger);
    } catch (error) {
      await parts.stop();
      throw error;
    }
  }

  /** Lets requests, blocks and writes under way finish. */
  async stop(): Promise<void> {
    await this.parts.stop();
    this.logger.info("Stopped");
  }
}

/** Ways to end what was started. */
class Parts {
  private readonly ends: (() => void | Promise<void>)[] = [];

  add(end: () => void | Promise<void>): void {
    this.ends.push(end);
  }

  /** The last one first; all of them, even if one fails. */
  async stop(): Promise<void> {
    for (let end = this.ends.pop(); end !== undefined; end = this.ends.pop()) {
      try {
        await end();
      } catch (error) {
        await this.stop();
        throw error;
      }
    }
  }
}

async function openNodeChain({ network, dataDir }: NodeOptions, parts: Parts, logger: Logger): Promise<Chain> {
  mkdirSync(dataDir, { recursive: true });
  const database = await openLevelDatabase(databasePath(dataDir));
  let chain: Chain;
  try {
    chain = await openChain({
      network,
      database,
      onListenerError: (error) => logger.error({ err: error }, "A listener of the chain failed"),
    });
  } catch (error) {
    await database.close();
    throw error;
  }
  parts.add(() => chain.close());
  const { header, hash } = chain.best();
  logger.info({ number: header.number, hash: toHex(hash) }, "Chain opened");
  return chain;
}

/** `<Name>/<version>/<os>/<runtime>/<modifier>-<build>` (`spec/09 §7.1`). */
function clientVersion(version: string): string {
  return `${version}/${process.platform}-${process.arch}/node${process.versions.node}/RELEASE-${version.split("/")[1]}`;
}
