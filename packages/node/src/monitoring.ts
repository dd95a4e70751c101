import type { StoredChainReader } from "@cambium/chain";
import { trustText } from "@cambium/chain-store";
import { isForDevelopment } from "@cambium/config";
import type { Logger } from "pino";
import { Health } from "./health.js";
import type { Metrics } from "./metrics.js";
import type { MetricsOptions, NodeOptions } from "./options.js";
import type { Parts } from "./parts.js";

/**
 * Serves the metrics and the health of a node from now on. The server is `monitor`, which stays open when the node
 * stops, or a separate one. Without a server there are no metrics, and only JSON-RPC reports the health.
 */
export async function startMonitoring(
  { metrics: options, dataDir, network }: Pick<NodeOptions, "metrics" | "dataDir" | "network">,
  chain: Pick<StoredChainReader, "best" | "earliestBlock" | "trust">,
  { parts, logger, monitor }: { parts: Parts; logger: Logger; monitor?: Monitor | undefined },
): Promise<{ metrics?: Metrics; health: Health }> {
  const health = new Health(
    chain,
    { isLocal: isForDevelopment(network), trust: () => trustText(chain.trust()) },
    options?.maxLag,
  );
  if (options === undefined) return { health };
  const { Metrics } = await import("./metrics.js");
  const metrics = new Metrics(chain);
  metrics.addDisk(dataDir);
  if (monitor === undefined) {
    const own = await Monitor.open(options, logger, () => "the node is starting");
    parts.add(() => own.close());
    own.show({ metrics, health });
  } else {
    monitor.show({ metrics, health });
    parts.add(() => monitor.show(undefined));
  }
  return { metrics, health };
}

/** Sources of a {@link Monitor}. */
interface Monitored {
  metrics: Metrics;
  health: Health;
}

/** The server of metrics and health, which stays open while a node changes its role. */
export class Monitor {
  private shown: Monitored | undefined;

  /** Called by {@link Monitor.open} only. */
  private constructor(readonly close: () => Promise<void>) {}

  /** Opens the server. `absence` says why there is no node. Rejects with `NodeError` `METRICS_LISTEN`. */
  static async open(options: MetricsOptions, logger: Logger, absence: () => string): Promise<Monitor> {
    const { serveMetrics } = await import("./metrics.js");
    const source = { shown: (): Monitored | undefined => undefined };
    const shown = () => {
      const monitored = source.shown();
      if (monitored === undefined) throw new Error(absence());
      return monitored;
    };
    const readiness = () => shown().health.readiness();
    const server = await serveMetrics(() => shown().metrics, { readiness }, options);
    const { host, port } = server;
    logger.info({ host, port }, "Metrics server listening, paths /metrics, /health and /ready");
    const monitor = new Monitor(() => server.close());
    source.shown = () => monitor.shown;
    return monitor;
  }

  /** Changes the sources; undefined: `/ready` and `/metrics` answer 503 with the reason. */
  show(monitored: Monitored | undefined): void {
    this.shown = monitored;
  }
}

/** Returns `<Name>/<version>/<os>/<runtime>/<modifier>-<build>` (`spec/09 §7.1`). */
export function clientVersion(version: string): string {
  return `${version}/${process.platform}-${process.arch}/node${process.versions.node}/RELEASE-${version.split("/")[1]}`;
}
