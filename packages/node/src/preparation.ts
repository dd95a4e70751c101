import { type RpcConfig, type StartingServer, serveStarting } from "@cambium/rpc";
import { servesDashboard } from "@cambium/rpc/config";
import type { Logger } from "pino";
import { Monitor } from "./monitoring.js";
import type { NodeOptions } from "./options.js";

/** The servers of a node that has no chain yet. They tell how far its installation is. */
export class Preparation {
  private constructor(
    private readonly page: StartingServer,
    /** Server of metrics and health, which stays open for the node. */
    readonly monitor: Monitor | undefined,
  ) {}

  /**
   * Opens the servers at the addresses of the node. Rejects with `RpcServerError` `LISTEN_FAILED` or `NodeError`
   * `METRICS_LISTEN`.
   */
  static async open(
    { rpc, metrics }: Pick<NodeOptions, "rpc" | "metrics">,
    progress: () => string,
    logger: Logger,
  ): Promise<Preparation> {
    const page = await showStart(rpc, progress, logger);
    try {
      return new Preparation(page, metrics && (await Monitor.open(metrics, logger, progress)));
    } catch (error) {
      await page.close();
      throw error;
    }
  }

  /** Makes room for the JSON-RPC of the node. */
  readonly closePage = (): Promise<void> => this.page.close();

  async close(): Promise<void> {
    await Promise.all([this.closePage(), this.monitor?.close()]);
  }
}

/**
 * Serves a page with the progress of the start at the address of JSON-RPC. Rejects with `RpcServerError`
 * `LISTEN_FAILED`.
 */
export async function showStart(rpc: RpcConfig, progress: () => string, logger: Logger): Promise<StartingServer> {
  const page = await serveStarting(rpc, progress);
  if (servesDashboard(rpc)) logger.info(page.address, "The dashboard shows the progress until JSON-RPC is served");
  return page;
}
