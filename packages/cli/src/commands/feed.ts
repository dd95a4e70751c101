import { makeFolder } from "@cambium/database";
import { BLOCK_TABLES, type BlockTable, POOL_TABLE, type Sink, type TableName } from "@cambium/feed";
import type { Logger } from "@cambium/primitives";
import type { Command } from "commander";
import { invalid } from "../errors.js";
import { withFlags } from "../flags/command-flags.js";
import { integer, list, text, type Values, words } from "../flags/flag.js";
import { LOG_FLAGS, logOptions } from "../log/log-options.js";
import { streamName, streamServers } from "../replication/replication-options.js";
import { stopSignal } from "../stop-signal.js";

/** Calls are left out, because the node executes each block again for them. */
const DEFAULT_TABLES = "blocks,transactions,logs,bridge_events";
/** Confirmations before blocks are written into files: about an hour. */
const FILE_CONFIRMATIONS = 120;
/** Milliseconds between looks for a new block. */
const POLL_INTERVAL = 1_000;
const HOUR = 3_600_000;
const MEGABYTE = 1_000_000;
const PARQUET = "parquet:";
const DESTINATIONS = "nats://host:port, clickhouse://user:password@host:8123/database or parquet:<folder>";

const MAX_NUMBER = 1_000_000_000;

const FLAGS = {
  to: text("destination", DESTINATIONS, { isRequired: true }),
  rpc: text("url", "JSON-RPC of the node, over HTTP", { default: "http://127.0.0.1:4444" }),
  tables: list("names", `of ${[...BLOCK_TABLES, POOL_TABLE].join(", ")}; blocks is always among them`, {
    default: DEFAULT_TABLES,
  }),
  "from-block": integer("n", "first block of an empty destination", { default: "0" }),
  "to-block": integer("n", "last block, after which the feed ends", { max: MAX_NUMBER }),
  confirmations: integer(
    "n",
    `blocks that follow a block before it is fed (default: 0, for Parquet ${FILE_CONFIRMATIONS})`,
  ),
  requests: integer("n", "blocks that are asked for at the same time", { default: "8", min: 1, max: 64 }),
  "nats.stream": text("name", "name of the JetStream stream, also the first part of its subjects", {
    default: "cambium-feed",
  }),
  "nats.max-age": integer("hours", "how long the stream keeps rows (default: forever)", { max: MAX_NUMBER }),
  "nats.max-size": integer("megabytes", "size of the stream beyond which it drops its oldest rows (default: none)", {
    max: MAX_NUMBER,
  }),
  "parquet.blocks": integer("n", "blocks in one file", { default: "1000", min: 1, max: 100_000 }),
  ...LOG_FLAGS,
};

type FeedFlags = Values<typeof FLAGS>;

/** `node-cli feed`: copies blocks as typed rows to a stream, a database or files until SIGINT or SIGTERM. */
export function feedCommand(command: Command): void {
  withFlags(command, FLAGS, run);
}

async function run(flags: FeedFlags): Promise<void> {
  const isParquet = flags.to.startsWith(PARQUET);
  const tables = tableNames(flags.tables);
  const options = {
    tables: BLOCK_TABLES.filter((table): table is BlockTable => table === "blocks" || tables.has(table)),
    withPool: tables.has(POOL_TABLE),
    fromBlock: flags["from-block"],
    toBlock: flags["to-block"],
    confirmations: flags.confirmations ?? (isParquet ? FILE_CONFIRMATIONS : 0),
    requests: flags.requests,
    pollInterval: POLL_INTERVAL,
  };
  const retention = {
    maxAge: (flags["nats.max-age"] ?? 0) * HOUR,
    maxBytes: (flags["nats.max-size"] ?? 0) * MEGABYTE || -1,
  };
  const blocks = flags["parquet.blocks"];
  const { ClickHouseSink, Feed, NatsSink, NodeClient, ParquetSink } = await import("@cambium/feed");
  const open = destination(flags, {
    nats: (servers, logger, signal) => {
      const address = { servers, stream: streamName(flags["nats.stream"], "--nats.stream") };
      return new NatsSink(address, retention, logger, signal);
    },
    clickhouse: (target, end) => new ClickHouseSink(target, end),
    parquet: (folder) => {
      makeFolder(folder);
      return new ParquetSink(folder, blocks);
    },
  });
  const { openLog } = await import("../log/open-log.js");
  const logger = openLog(logOptions(flags));
  const signal = stopSignal(logger);
  const end = later(signal, GRACE);
  const node = new NodeClient(flags.rpc, end);
  const sink = open(logger, signal, end);
  try {
    await new Feed(node, sink, options, logger).run(signal);
  } finally {
    await sink.close();
  }
}

/**
 * Time limit of requests when the feed stops, in milliseconds. After that, the next start determines what has arrived.
 */
const GRACE = 5_000;

/** Returns a signal that aborts some milliseconds after another one. */
function later(signal: AbortSignal, milliseconds: number): AbortSignal {
  const controller = new AbortController();
  signal.addEventListener("abort", () => setTimeout(() => controller.abort(), milliseconds).unref());
  return controller.signal;
}

interface Destinations {
  nats(servers: readonly string[], logger: Logger, signal: AbortSignal): Sink;
  clickhouse(target: string, end: AbortSignal): Sink;
  parquet(folder: string): Sink;
}

/** `signal` stops the feed, `end` its requests. */
type OpenSink = (logger: Logger, signal: AbortSignal, end: AbortSignal) => Sink;

/** Returns a function that opens the destination of `--to`. Throws `CliError` `INVALID_OPTION`. */
function destination({ to }: FeedFlags, make: Destinations): OpenSink {
  if (to.startsWith(PARQUET) && to.length > PARQUET.length) return () => make.parquet(to.slice(PARQUET.length));
  if (to.startsWith("clickhouse:")) return (_logger, _signal, end) => make.clickhouse(to, end);
  if (/^(nats|tls):/.test(to)) {
    const servers = streamServers("--to", words(to));
    return (logger, signal) => make.nats(servers, logger, signal);
  }
  throw invalid("--to", to, DESTINATIONS);
}

function tableNames(names: readonly string[]): ReadonlySet<TableName> {
  const known: readonly string[] = [...BLOCK_TABLES, POOL_TABLE];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return new Set(names as TableName[]);
  throw invalid("--tables", unknown, known.join(", "));
}
