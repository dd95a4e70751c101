import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Row = Record<string, unknown>;

interface Table {
  columns: readonly string[];
  /** Columns by which rows are ordered. */
  key: readonly string[];
  collapses: boolean;
  rows: Row[];
}

/**
 * A server in memory with the part of ClickHouse's HTTP interface that feeds use: tables with their columns, rows as
 * lines of JSON, engines that collapse rows of opposite signs, and the queries of a feed by their text. It refuses
 * everything else. It shows the requests of a feed, not that ClickHouse accepts them: `CLICKHOUSE_URL` runs the same
 * tests against a real server.
 */
export class ClickHouseStandIn {
  private readonly tables = new Map<string, Table>();

  private constructor(private readonly server: Server) {
    server.on("request", async (request: IncomingMessage, response) => {
      try {
        const body = await text(request);
        const answer = this.answer(new URL(request.url!, "http://host").searchParams, body);
        if (body.endsWith(" FORMAT JSON")) response.end(JSON.stringify({ data: answer, rows: answer.length }));
        else response.end(answer.map((row) => `${JSON.stringify(row)}\n`).join(""));
      } catch (error) {
        response.writeHead(500).end(`Code: 62. DB::Exception: ${(error as Error).message}`);
      }
    });
  }

  static async start(): Promise<ClickHouseStandIn> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ClickHouseStandIn(server);
  }

  /** Returns the URL in the form of `--to`, without a database. */
  get url(): string {
    return `clickhouse://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private answer(parameters: URLSearchParams, body: string): Row[] {
    const inserted = /^INSERT INTO (\S+) FORMAT JSONEachRow$/.exec(parameters.get("query") ?? "");
    if (inserted !== null) return this.insert(inserted[1]!, body);
    for (const [pattern, run] of this.queries) {
      const match = pattern.exec(body);
      if (match !== null) return run(...match.slice(1));
    }
    throw new Error(`unexpected query: ${body}`);
  }

  private readonly queries: readonly [RegExp, (...parts: string[]) => Row[]][] = [
    [/^CREATE DATABASE IF NOT EXISTS \w+$/, () => []],
    [
      /^CREATE TABLE IF NOT EXISTS (\S+) \((.*)\) ENGINE = (\w+)\S* ORDER BY \(?(.*?)\)?$/,
      (name, columns, engine, key) => this.create(name!, columns!, engine!, key!),
    ],
    [/^SELECT name FROM system.tables WHERE database = '(\w+)' FORMAT/, (database) => this.names(database!)],
    [/^SELECT count\(\) AS running FROM system.processes WHERE .* FORMAT/, () => [{ running: 0 }]],
    [/^SELECT \* FROM (\S+) ORDER BY sequence DESC LIMIT 1 FORMAT/, (name) => this.newest(name!)],
    [
      /^SELECT block_hash FROM (\S+) FINAL WHERE block_number = (\d+) FORMAT/,
      (name, n) => this.final(name!).filter((row) => row.block_number === Number(n)),
    ],
    [
      /^SELECT count\(\) AS rows FROM (\S+) FINAL WHERE toInt64\(block_number\) > (-?\d+) FORMAT/,
      (name, n) => [{ rows: this.above(name!, n!).length }],
    ],
    [
      /^INSERT INTO (\S+) SELECT \* REPLACE \(toInt8\(-1\) AS sign\) FROM \1 FINAL WHERE toInt64\(block_number\) > (-?\d+)$/,
      (name, n) => this.retract(name!, n!),
    ],
    [/^SELECT .* FROM (\S+) FINAL FORMAT/, (name) => this.final(name!)],
    [
      /^SELECT count\(\) AS wrong FROM \(SELECT sum\(sign\) AS net FROM (\S+) GROUP BY .*\) WHERE net NOT IN \(0, 1\) SETTINGS final = 0 FORMAT/,
      (name) => this.unbalanced(name!),
    ],
  ];

  private create(name: string, columns: string, engine: string, key: string): Row[] {
    const names = columns.split(", ").map((column) => column.split(" ")[0]!);
    this.tables.set(name, {
      columns: names,
      key: key.split(", "),
      collapses: engine === "CollapsingMergeTree",
      rows: [],
    });
    return [];
  }

  private names(database: string): Row[] {
    const names = [...this.tables.keys()].filter((name) => name.startsWith(`${database}.`));
    return names.map((name) => ({ name: name.slice(database.length + 1) }));
  }

  private table(name: string): Table {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`no table ${name}`);
    return table;
  }

  private insert(name: string, body: string): Row[] {
    const { columns, rows } = this.table(name);
    const added = body.split("\n").map((line) => JSON.parse(line) as Row);
    for (const row of added) {
      const unknown = Object.keys(row).find((column) => !columns.includes(column));
      if (unknown !== undefined) throw new Error(`no column ${unknown} in ${name}`);
    }
    rows.push(...added);
    return [];
  }

  private newest(name: string): Row[] {
    return this.table(name)
      .rows.toSorted((a, b) => Number(b.sequence) - Number(a.sequence))
      .slice(0, 1);
  }

  /** Returns rows whose signs add up to 1. */
  private final(name: string): Row[] {
    const net = new Map<string, { sum: number; row: Row }>();
    for (const row of this.table(name).rows) {
      const id = this.idOf(name, row);
      const sum = (net.get(id)?.sum ?? 0) + Number(row.sign);
      net.set(id, { sum, row });
    }
    return [...net.values()].filter(({ sum }) => sum > 0).map(({ row }) => row);
  }

  private unbalanced(name: string): Row[] {
    const net = new Map<string, number>();
    for (const row of this.table(name).rows)
      net.set(this.idOf(name, row), (net.get(this.idOf(name, row)) ?? 0) + Number(row.sign));
    return [{ wrong: [...net.values()].filter((sum) => sum !== 0 && sum !== 1).length }];
  }

  private above(name: string, number: string): Row[] {
    return this.final(name).filter((row) => Number(row.block_number) > Number(number));
  }

  private retract(name: string, number: string): Row[] {
    this.table(name).rows.push(...this.above(name, number).map((row) => ({ ...row, sign: -1 })));
    return [];
  }

  private idOf(name: string, row: Row): string {
    return this.table(name)
      .key.map((column) => row[column])
      .join(" ");
  }
}
