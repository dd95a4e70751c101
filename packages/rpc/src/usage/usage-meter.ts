import { type Counter, counter } from "@cambium/primitives";
import { type UsageCounter, type UsageRow, UsageTable } from "./usage-table.js";

/** Number of keys with individual metrics: the first ones that are used. */
const MAX_LABELS = 100;
/** The label of all further keys; no key has this name. */
const OTHER = "other";

/** The metrics of one key. */
interface KeyMetrics {
  requests: Counter;
  units: Counter;
  bytes: Counter;
  errors: Counter;
  refused: Counter;
}

const OTHER_METRICS = metricsOf(OTHER);

function metricsOf(key: string): KeyMetrics {
  return {
    requests: counter("cambium_rpc_key_requests_total", "Requests and notifications of an API key", { key }),
    units: counter("cambium_rpc_key_units_total", "Cost units of these", { key }),
    bytes: counter("cambium_rpc_key_response_bytes_total", "Bytes of the responses to an API key", { key }),
    errors: counter("cambium_rpc_key_errors_total", "Requests of an API key that were answered with an error", { key }),
    refused: counter("cambium_rpc_key_refused_total", "Requests of an API key beyond its rate limit", { key }),
  };
}

/** Counts the usage of API keys over all threads, in metrics and in tables. */
export class UsageMeter implements UsageCounter {
  private readonly metrics = new Map<string, KeyMetrics>();
  private readonly tables: UsageTable[] = [];

  /** Returns a table that receives all usage from now on. */
  table(): UsageTable {
    const table = new UsageTable();
    this.tables.push(table);
    return table;
  }

  add(row: UsageRow): void {
    const metrics = this.metricsFor(row.key);
    for (const name of ["requests", "units", "bytes", "errors", "refused"] as const) metrics[name].add(row[name]);
    for (const table of this.tables) table.add(row);
  }

  private metricsFor(key: string): KeyMetrics {
    let metrics = this.metrics.get(key);
    if (metrics === undefined && this.metrics.size < MAX_LABELS) {
      metrics = metricsOf(key);
      this.metrics.set(key, metrics);
    }
    return metrics ?? OTHER_METRICS;
  }
}
