import "@cambium/miner";
import "@cambium/networking";
import "@cambium/replication";
import { type MetricDescription, Metrics } from "../src/metrics.js";

/** Nothing is read from the sources: only their names are described. */
const NO_SOURCE = {} as never;

/** Every metric of a node with peers. */
export function allMetrics(): readonly MetricDescription[] {
  const metrics = new Metrics(NO_SOURCE);
  metrics.addDisk("");
  metrics.addPool(NO_SOURCE);
  metrics.addPeers(NO_SOURCE);
  return metrics.describe();
}

const UNITS = ["seconds", "bytes", "blocks", "transactions", "chunks"];

/** The unit that a name contains. */
function unitOf(name: string): string {
  const words = name.replace(/_total$/, "").split("_");
  const unit = UNITS.find((one) => words.at(-1) === one);
  if (name.endsWith("_timestamp_seconds")) return "seconds since 1970";
  if (name.endsWith("_per_second")) return `${words.at(-3)}/s`;
  return unit ?? "–";
}

function row({ name, type, labelNames, help }: MetricDescription): string {
  const labels = labelNames.length === 0 ? "–" : labelNames.map((label) => `\`${label}\``).join(", ");
  const meaning = help.replace(/\.$/, "").replaceAll("|", "\\|");
  return `| \`${name}\` | ${type} | ${labels} | ${unitOf(name)} | ${meaning} |`;
}

function table(metrics: readonly MetricDescription[]): string {
  return ["| name | type | labels | unit | meaning |", "| --- | --- | --- | --- | --- |", ...metrics.map(row)].join(
    "\n",
  );
}

/** The content of `docs/metrics.md`. */
export function metricsPage(): string {
  const metrics = allMetrics();
  const own = metrics.filter(({ name }) => name.startsWith("cambium_"));
  const others = metrics.filter(({ name }) => /^(nodejs|process)_/.test(name));
  return `# Metrics

This page is generated from the registry of the node: \`npm run docs\`.

\`node-cli start --metrics.port 6060\` serves the metrics for Prometheus at \`http://127.0.0.1:6060/metrics\`;
\`--metrics.host\` and \`--metrics.hosts\` open them to other machines. A Grafana dashboard and rules for alerts are in
[monitoring](monitoring/README.md).

The numbers of all threads are added up. A histogram has, besides \`…_bucket\`, the series \`…_sum\` and \`…_count\`.
Values of labels are few and fixed: JSON-RPC methods that do not exist share the label \`unknown\`, threads that are not
listed the label \`other\`, as do [API keys](api-keys.md#what-keys-use) beyond the first hundred that are used. The
metrics of peers are absent from a node without peers, those of replication from a node without \`--replicate\`, those
of replicas from all but [replicas](scaling.md).

## The node

${table(own)}

## The process

Of the main thread and the process as a whole, by [prom-client](https://github.com/siimon/prom-client).

${table(others)}
`;
}
