import type { ChainReader } from "@cambium/chain";
import type { Logger } from "pino";
import { Health } from "./health.js";
import type { Metrics } from "./metrics.js";
import type { NodeOptions } from "./options.js";
import type { Parts } from "./parts.js";

/** The metrics and the health of a node, served from now on; undefined without a metrics server. */
export async function startMonitoring(
  { metrics: options, dataDir }: Pick<NodeOptions, "metrics" | "dataDir">,
  chain: Pick<ChainReader, "best">,
  parts: Parts,
  logger: Logger,
): Promise<{ metrics?: Metrics; health?: Health }> {
  if (options === undefined) return {};
  const { Metrics, serveMetrics } = await import("./metrics.js");
  const metrics = new Metrics(chain);
  metrics.addDisk(dataDir);
  const health = new Health(chain, options.maxLag);
  const server = await serveMetrics(metrics, health, options);
  parts.add(() => server.close());
  logger.info({ host: server.host, port: server.port }, "Metrics server listening, paths /metrics, /health and /ready");
  return { metrics, health };
}

/** `<Name>/<version>/<os>/<runtime>/<modifier>-<build>` (`spec/09 §7.1`). */
export function clientVersion(version: string): string {
  return `${version}/${process.platform}-${process.arch}/node${process.versions.node}/RELEASE-${version.split("/")[1]}`;
}
