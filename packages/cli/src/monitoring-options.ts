import type { MetricsOptions } from "@cambium/node/options";
import type { Command } from "commander";
import { parseNumber, words } from "./options.js";

/** Flags for metrics and health, as commander parses them. */
export interface MonitoringFlags {
  "metrics.host": string;
  "metrics.hosts"?: string;
  "metrics.port"?: string;
  "health.maxLag": string;
}

/** Adds the flags of {@link MonitoringFlags} to a command. */
export function addMonitoringOptions(command: Command): Command {
  return command
    .option("--metrics.host <host>", "listening address of the metrics server", "127.0.0.1")
    .option("--metrics.hosts <names>", "host names accepted in the Host header, separated by spaces; * for any")
    .option(
      "--metrics.port <port>",
      "port of the server for /metrics (Prometheus), /health and /ready; 0 picks a free port (default: no server)",
    )
    .option("--health.max-lag <blocks>", "blocks that a node may be behind while /ready says that it is ready", "10");
}

/** Undefined without a metrics server. Throws `CliError` `INVALID_OPTION`. */
export function metricsOptions(options: MonitoringFlags): MetricsOptions | undefined {
  const port = options["metrics.port"];
  if (port === undefined) return undefined;
  const hosts = words(options["metrics.hosts"]) ?? [];
  const maxLag = parseNumber("--health.max-lag", options["health.maxLag"]);
  return { host: options["metrics.host"], port: parseNumber("--metrics.port", port, 65535), hosts, maxLag };
}
