import {
  BLOCK_TABLES,
  type BlockTable,
  ClickHouseSink,
  Feed,
  NatsSink,
  NodeClient,
  ParquetSink,
  type Sink,
} from "@cambium/feed";
import { SILENT } from "@cambium/test-utils/silent-logger";

/** A feed of all blocks of a node. */
export interface Task {
  node: string;
  /** Destination, in the form of the option `--to`. */
  to: string;
  tables: readonly BlockTable[];
  toBlock: number;
}

export interface Figures {
  seconds: number;
  processorSeconds: number;
  /** Peak memory of the process in megabytes. */
  megabytes: number;
}

const { signal } = new AbortController();

function sinkOf(to: string): Sink {
  if (to.startsWith("parquet:")) return new ParquetSink(to.slice("parquet:".length), 1000);
  if (to.startsWith("clickhouse:")) return new ClickHouseSink(to);
  return new NatsSink({ servers: [to], stream: "bench" }, { maxAge: 0, maxBytes: -1 }, SILENT, signal);
}

const { node, to, tables, toBlock }: Task = JSON.parse(process.argv[2]!);
const options = { withPool: false, fromBlock: 0, confirmations: 0, requests: 8, pollInterval: 1_000 };
const sink = sinkOf(to);
const [started, before] = [performance.now(), process.cpuUsage()];
const feed = new Feed(
  new NodeClient(node),
  sink,
  { ...options, tables: BLOCK_TABLES.filter((name) => tables.includes(name)), toBlock },
  SILENT,
);
await feed.run(signal);
const { user, system } = process.cpuUsage(before);
await sink.close();
const figures: Figures = {
  seconds: (performance.now() - started) / 1000,
  processorSeconds: (user + system) / 1e6,
  megabytes: process.resourceUsage().maxRSS / 1024,
};
process.send!(figures);
process.exit(0);
