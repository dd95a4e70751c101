import { BLOCK_TABLES, type BlockTable, POOL_TABLE, type Sink, type TableName } from "@cambium/feed";
import type { Logger } from "@cambium/primitives";
import type { Command } from "commander";
import { CliError } from "../errors.js";
import { addLogOptions, type LogFlags, logOptions } from "../log/log-options.js";
import { parseNumber } from "../options.js";
import { streamName, streamServers } from "../replication-options.js";
import { stopSignal } from "../stop-signal.js";

interface FeedFlags extends LogFlags {
  to: string;
  rpc: string;
  tables: string;
  fromBlock: string;
  toBlock?: string;
  confirmations?: string;
  requests: string;
  "nats.stream": string;
  "nats.maxAge"?: string;
  "nats.maxSize"?: string;
  "parquet.blocks": string;
}

/** Calls are left out, because the node executes each block again for them. */
const DEFAULT_TABLES = "blocks,transactions,logs,bridge_events";
/** Confirmations before blocks are written into files: about an hour. */
const FILE_CONFIRMATIONS = "120";
/** Milliseconds between looks for a new block. */
const POLL_INTERVAL = 1_000;
const HOUR = 3_600_000;
const MEGABYTE = 1_000_000;
const PARQUET = "parquet:";
const DESTINATIONS = "nats://host:port, clickhouse://user:password@host:8123/database or parquet:<folder>";

/** `node-cli feed`: copies blocks as typed rows to a stream, a database or files until SIGINT or SIGTERM. */
export function feedCommand(program: Command): void {
  const command = program
    .command("feed")
    .description("copy a node's blocks as typed rows, each exactly once, until SIGINT or SIGTERM")
    .requiredOption("--to <destination>", DESTINATIONS)
    .option("--rpc <url>", "JSON-RPC of the node, over HTTP", "http://127.0.0.1:4444")
    .option(
      "--tables <names>",
      `of ${[...BLOCK_TABLES, POOL_TABLE].join(", ")}; blocks is always among them`,
      DEFAULT_TABLES,
    )
    .option("--from-block <n>", "first block of an empty destination", "0")
    .option("--to-block <n>", "last block, after which the feed ends")
    .option(
      "--confirmations <n>",
      `blocks that follow a block before it is fed (default: 0, for Parquet ${FILE_CONFIRMATIONS})`,
    )
    .option("--requests <n>", "blocks that are asked for at the same time", "8")
    .option("--nats.stream <name>", "name of the JetStream stream, also the first part of its subjects", "cambium-feed")
    .option("--nats.max-age <hours>", "how long the stream keeps rows (default: for ever)")
    .option("--nats.max-size <megabytes>", "size of the stream beyond which it drops its oldest rows (default: none)")
    .option("--parquet.blocks <n>", "blocks in one file", "1000");
  addLogOptions(command).action(run);
}

async function run(flags: FeedFlags): Promise<void> {
  const isParquet = flags.to.startsWith(PARQUET);
  const tables = parseTables(flags.tables);
  const optional = (option: string, text: string | undefined) =>
    text === undefined ? undefined : parseNumber(option, text, MAX_NUMBER);
  const options = {
    tables: BLOCK_TABLES.filter((table): table is BlockTable => table === "blocks" || tables.has(table)),
    withPool: tables.has(POOL_TABLE),
    fromBlock: parseNumber("--from-block", flags.fromBlock),
    toBlock: optional("--to-block", flags.toBlock),
    confirmations: parseNumber("--confirmations", flags.confirmations ?? (isParquet ? FILE_CONFIRMATIONS : "0")),
    requests: Math.max(1, parseNumber("--requests", flags.requests, 64)),
    pollInterval: POLL_INTERVAL,
  };
  const retention = {
    maxAge: (optional("--nats.max-age", flags["nats.maxAge"]) ?? 0) * HOUR,
    maxBytes: (optional("--nats.max-size", flags["nats.maxSize"]) ?? 0) * MEGABYTE || -1,
  };
  const blocks = Math.max(1, parseNumber("--parquet.blocks", flags["parquet.blocks"], 100_000));
  const { ClickHouseSink, Feed, NatsSink, NodeClient, ParquetSink } = await import("@cambium/feed");
  const open = destination(flags, {
    nats: (servers, logger, signal) => {
      const address = { servers, stream: streamName("--nats.stream", flags["nats.stream"]) };
      return new NatsSink(address, retention, logger, signal);
    },
    clickhouse: (target, end) => new ClickHouseSink(target, end),
    parquet: (folder) => new ParquetSink(folder, blocks),
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

const MAX_NUMBER = 1_000_000_000;
/** Milliseconds that requests may take when the feed stops: afterwards the next start finds out what has arrived. */
const GRACE = 5_000;

/** A signal that aborts some milliseconds after another one. */
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

/** What opens the destination of `--to`. Throws {@link CliError} `INVALID_OPTION`. */
function destination({ to }: FeedFlags, make: Destinations): OpenSink {
  if (to.startsWith(PARQUET) && to.length > PARQUET.length) return () => make.parquet(to.slice(PARQUET.length));
  if (to.startsWith("clickhouse:")) return (_logger, _signal, end) => make.clickhouse(to, end);
  if (/^(nats|tls):/.test(to)) {
    const servers = streamServers("--to", to);
    return (logger, signal) => make.nats(servers, logger, signal);
  }
  throw new CliError({ code: "INVALID_OPTION", option: "--to", value: to, expected: DESTINATIONS });
}

function parseTables(text: string): ReadonlySet<TableName> {
  const known: readonly string[] = [...BLOCK_TABLES, POOL_TABLE];
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return new Set(names as TableName[]);
  throw new CliError({ code: "INVALID_OPTION", option: "--tables", value: unknown, expected: known.join(", ") });
}
