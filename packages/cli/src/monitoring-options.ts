import type { MetricsOptions } from "@cambium/node/options";
import { grouped, host, integer, list, port, type Values } from "./flags/flag.js";

/** Flags for metrics and health. */
export const MONITORING_FLAGS = grouped("Log and monitoring", {
  "metrics.host": host("listening address of the metrics server", { default: "127.0.0.1" }),
  "metrics.hosts": list("names", "host names accepted in the Host header; * for any"),
  "metrics.port": port(
    "port of the server for /metrics (Prometheus), /health and /ready; 0 picks a free port (default: no server)",
  ),
  "health.max-lag": integer("blocks", "blocks that a node may be behind while /ready says that it is ready", {
    default: "10",
  }),
});

/** Undefined without a metrics server. */
export function metricsOptions(flags: Values<typeof MONITORING_FLAGS>): MetricsOptions | undefined {
  const { "metrics.host": host, "metrics.hosts": hosts = [], "metrics.port": port, "health.max-lag": maxLag } = flags;
  return port === undefined ? undefined : { host, port, hosts, maxLag };
}
