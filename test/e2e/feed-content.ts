import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BLOCK_TABLES, type BlockTable, type Row, TABLES } from "@cambium/feed";
import { spawnCli } from "@cambium/test-utils/node-cli";
import type { RpcClient } from "@cambium/test-utils/rpc-client";
import { DuckDBInstance } from "@duckdb/node-api";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

/** The rows of a destination without retracted ones, by table, each as JSON with its columns in order. */
export type FeedContent = Record<string, string[]>;

/** A running `node-cli feed`. */
export interface RunningFeed {
  output(): string;
  /** Resolves to its exit status, or null if a signal ended it. */
  ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts `node-cli feed`. */
export function startFeed(...args: string[]): RunningFeed {
  const child = spawnCli("feed", ...args);
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => (output += chunk));
  const ended = once(child, "close").then(([status]) => status as number | null);
  return { output: () => output, ended, kill: (signal) => child.kill(signal) };
}

/** Throws if a row is there twice, or is retracted without being there. */
class NetRows {
  private readonly rows = new Map<string, string>();

  constructor(private readonly table: BlockTable) {}

  add(row: Row): void {
    const id = this.idOf(row);
    if (this.rows.has(id)) throw new Error(`${this.table} has ${id} twice`);
    this.rows.set(id, this.textOf({ ...row, sign: 1 }));
  }

  remove(row: Row): void {
    const id = this.idOf(row);
    if (this.rows.get(id) !== this.textOf({ ...row, sign: 1 }))
      throw new Error(`${this.table} retracts ${id}, which it lacks`);
    this.rows.delete(id);
  }

  /** Removes the rows of a block. None is no error, because its rows may not have arrived. */
  removeBlock(hash: string): void {
    for (const [id, text] of this.rows) if (JSON.parse(text).block_hash === hash) this.rows.delete(id);
  }

  content(): string[] {
    return [...this.rows.values()].toSorted();
  }

  private idOf(row: Row): string {
    return TABLES[this.table].key.map((column) => row[column]).join(" ");
  }

  private textOf(row: Row): string {
    return JSON.stringify(Object.fromEntries(TABLES[this.table].columns.map(({ name }) => [name, row[name]])));
  }
}

function netRows() {
  return Object.fromEntries(BLOCK_TABLES.map((table) => [table, new NetRows(table)])) as Record<BlockTable, NetRows>;
}

function contentOf(net: Record<BlockTable, NetRows>): FeedContent {
  return Object.fromEntries(BLOCK_TABLES.map((table) => [table, net[table].content()]));
}

/** Reads a stream like a consumer: in order, once. */
export async function natsContent(url: string, stream: string): Promise<FeedContent> {
  const connection = await connect({ servers: url });
  try {
    const { state } = await (await jetstreamManager(connection)).streams.info(stream);
    const consumer = await jetstream(connection).consumers.get(stream);
    const net = netRows();
    if (state.messages === 0) return contentOf(net);
    for await (const message of await consumer.consume()) {
      const table = message.subject.split(".").at(-1) as BlockTable;
      const body = message.json() as Row | Row[];
      if (Array.isArray(body)) for (const row of body) net[table].add(row);
      else net[table].removeBlock(String(body.block_hash));
      if (message.seq === state.last_seq) break;
    }
    return contentOf(net);
  } finally {
    await connection.close();
  }
}

/** Reads a folder of Parquet files with DuckDB, in the order of the files. */
export async function parquetContent(
  folder: string,
  tables: readonly BlockTable[] = BLOCK_TABLES,
): Promise<FeedContent> {
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const net = netRows();
  for (const table of tables) {
    const { columns, key } = TABLES[table];
    const shown = columns.map(({ name, type }) => (type === "timestamp" ? `epoch(${name})::BIGINT AS ${name}` : name));
    const query = `SELECT ${shown} FROM read_parquet('${folder}/${table}/*.parquet', filename = true) ORDER BY filename, ${key}`;
    const rows = (await database.runAndReadAll(query)).getRowObjectsJson();
    const isNumber = new Set(columns.filter(({ type }) => /64|timestamp|sign/.test(type)).map(({ name }) => name));
    for (const row of rows) {
      const entries = Object.entries(row).map(([name, value]) => [
        name,
        value !== null && isNumber.has(name) ? Number(value) : value,
      ]);
      const read = Object.fromEntries(entries) as Row;
      if (read.sign === 1) net[table].add(read);
      else net[table].remove(read);
    }
  }
  database.closeSync();
  return contentOf(net);
}

/** Returns rows of `pool_events` in a folder of Parquet files; none if there are no files yet. */
export async function poolEvents(folder: string): Promise<Row[]> {
  const files = join(folder, "pool_events");
  if (!existsSync(files) || !readdirSync(files).some((name) => name.endsWith(".parquet"))) return [];
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const read = await database.runAndReadAll(`FROM read_parquet('${files}/*.parquet')`);
  return read.getRowObjectsJson() as Row[];
}

/** The answer of a ClickHouse server to a query that leaves out retracted rows. */
export async function clickHouseRows(target: string, query: string): Promise<Record<string, unknown>[]> {
  const { host, pathname } = new URL(target);
  const settings = { output_format_json_quote_64bit_integers: "0", final: "1", database: pathname.slice(1) };
  const body = `${query.replace(/;$/, "")} FORMAT JSONEachRow`;
  const response = await fetch(`http://${host}/?${new URLSearchParams(settings)}`, { method: "POST", body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Reads the tables of a ClickHouse server, `clickhouse://host:port/database`. Throws if a row occurs twice. */
export async function clickHouseContent(target: string): Promise<FeedContent> {
  const { pathname } = new URL(target);
  const select = (query: string) => clickHouseRows(target, query) as Promise<Row[]>;
  const net = netRows();
  for (const table of BLOCK_TABLES) {
    const name = `${pathname.slice(1)}.${table}`;
    const { columns, key } = TABLES[table];
    const sums = `SELECT sum(sign) AS net FROM ${name} GROUP BY ${key.join(", ")}`;
    const [balance] = await select(`SELECT count() AS wrong FROM (${sums}) WHERE net NOT IN (0, 1) SETTINGS final = 0`);
    if (balance?.wrong !== 0) throw new Error(`${table} has rows whose signs do not add up`);
    const shown = columns.map(({ name: column, type }) => {
      if (type === "timestamp") return `toUnixTimestamp(${column}) AS ${column}`;
      return type === "uint256" ? `toString(${column}) AS ${column}` : column;
    });
    for (const row of await select(`SELECT ${shown.join(", ")} FROM ${name} FINAL`)) net[table].add(row);
  }
  return contentOf(net);
}

/** Returns the numbers of rows by table, determined by other methods of the node. */
export async function expectedCounts(rpc: RpcClient, last: number): Promise<Record<string, number>> {
  const counts = { transactions: 0, logs: 0, internal_calls: 0, bridge_events: 0, blocks: last + 1 };
  const calls = (frame: { calls?: object[] }): number =>
    (frame.calls ?? []).reduce<number>((sum, inner) => sum + calls(inner), 1);
  for (let number = 1; number <= last; number++) {
    const at = `0x${number.toString(16)}`;
    const traces = await rpc.call("debug_traceBlockByNumber", at, { tracer: "callTracer" });
    counts.transactions += traces.length;
    for (const { result } of traces) counts.internal_calls += calls(result);
  }
  const logs = await rpc.call("eth_getLogs", { fromBlock: "0x0", toBlock: `0x${last.toString(16)}` });
  counts.logs = logs.length;
  counts.bridge_events = logs.filter(({ address }: { address: string }) => BigInt(address) === BRIDGE).length;
  return counts;
}

const BRIDGE = 0x1000006n;
