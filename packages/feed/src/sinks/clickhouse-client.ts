import { randomUUID } from "node:crypto";
import { fetchFailure, shownUrl } from "@cambium/primitives";
import { requestSignal, responseText } from "../bounded-request.js";
import { FeedError } from "../errors.js";

/** Milliseconds until a request fails. */
const TIMEOUT = 300_000;
/** Maximum size of a response, in bytes. The longest ones list tables. */
const MAX_ANSWER = 16 * 1024 * 1024;
/** Codes of permanent errors: unknown or refused users, tables, columns, types and values. */
const LASTING = new Set([6, 16, 26, 27, 36, 41, 43, 44, 46, 47, 50, 53, 60, 62, 81, 115, 117, 192, 193, 194, 497, 516]);
/** Settings for inserts. Equal rows are not dropped as repetitions: a block can return to the best chain. */
const INSERT_SETTINGS = { insert_deduplicate: "0", async_insert: "0" };

/** A ClickHouse server over its HTTP interface. */
export class ClickHouseClient {
  readonly database: string;
  /** URL without credentials. */
  readonly url: string;
  private readonly headers: Record<string, string>;
  /** Prefix of the ids of all queries from feeds to this database. */
  private readonly queryPrefix: string;

  /**
   * `target` is `clickhouse://user:password@host:8123/database`, with `?secure=true` for HTTPS. The variable
   * CLICKHOUSE_PASSWORD replaces a missing password. `end` aborts requests. Throws {@link FeedError} `TARGET`.
   */
  constructor(
    target: string,
    private readonly end: AbortSignal | undefined,
    password = process.env.CLICKHOUSE_PASSWORD,
  ) {
    const parsed = URL.canParse(target) ? new URL(target) : undefined;
    const database = parsed === undefined ? "" : decodeURIComponent(parsed.pathname.slice(1)) || "default";
    if (
      parsed === undefined ||
      parsed.protocol !== "clickhouse:" ||
      parsed.hostname === "" ||
      !/^\w+$/.test(database)
    ) {
      throw new FeedError({
        code: "TARGET",
        target: shownUrl(target),
        expected: "clickhouse://user:password@host:8123/database",
      });
    }
    const isSecure = parsed.searchParams.get("secure") === "true";
    this.database = database;
    this.url = `${isSecure ? "https" : "http"}://${parsed.hostname}:${parsed.port || (isSecure ? "8443" : "8123")}/`;
    this.headers = {
      "x-clickhouse-user": decodeURIComponent(parsed.username) || "default",
      "x-clickhouse-key": decodeURIComponent(parsed.password) || password || "",
    };
    this.queryPrefix = `cambium-feed-${database}-`;
  }

  /** Returns the rows of a query; 64-bit numbers are JavaScript numbers. Rejects if the response is incomplete. */
  async select(query: string): Promise<Record<string, unknown>[]> {
    const text = await this.send({ output_format_json_quote_64bit_integers: "0" }, `${query} FORMAT JSON`);
    const { data, rows } = answerOf(text);
    if (Array.isArray(data) && rows === data.length) return data;
    throw new Error(`ClickHouse at ${this.url} did not answer ${query.slice(0, 100)}: ${text.slice(0, 100)}`);
  }

  /** Returns the number in the single row of a query. */
  async count(query: string, name: string): Promise<number> {
    const [row] = await this.select(query);
    const value = row?.[name];
    if (Number.isSafeInteger(value)) return value as number;
    throw new Error(`ClickHouse at ${this.url} answered ${value}, expected the number ${name}`);
  }

  async execute(query: string): Promise<void> {
    await this.change(INSERT_SETTINGS, query);
  }

  /** Inserts rows, each a line of JSON. */
  async insert(table: string, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const query = `INSERT INTO ${this.database}.${table} FORMAT JSONEachRow`;
    await this.change({ ...INSERT_SETTINGS, query }, lines.join("\n"));
  }

  /** Returns the number of running queries from feeds to this database; a feed that was killed can leave one. */
  async running(): Promise<number> {
    const own = `startsWith(query_id, '${this.queryPrefix}') AND query_id != queryID()`;
    return this.count(`SELECT count() AS running FROM system.processes WHERE ${own}`, "running");
  }

  /** Rejects unless the response is empty: a proxy, for example, may answer with a page and status 200. */
  private async change(settings: Record<string, string>, body: string): Promise<void> {
    const text = await this.send(settings, body);
    if (text.trim() !== "") throw new Error(`ClickHouse at ${this.url}: ${text.slice(0, 500)}`);
  }

  private async send(settings: Record<string, string>, body: string): Promise<string> {
    // Otherwise the server could send the status before the query fails.
    const parameters = new URLSearchParams({
      ...settings,
      wait_end_of_query: "1",
      query_id: this.queryPrefix + randomUUID(),
    });
    const signal = requestSignal(this.end, TIMEOUT);
    const request = { method: "POST", headers: this.headers, body, signal };
    const response = await fetch(`${this.url}?${parameters}`, request).catch((error: Error) => {
      throw new Error(`no answer from ClickHouse at ${this.url}: ${fetchFailure(error)}`, { cause: error });
    });
    const text = await responseText(response, MAX_ANSWER);
    if (response.ok) return text;
    const code = Number(/^Code: (\d+)/.exec(text)?.[1] ?? response.headers.get("x-clickhouse-exception-code"));
    const reason = text.slice(0, 500).trim() || `status ${response.status}`;
    if (LASTING.has(code)) throw new FeedError({ code: "SINK", target: this.url, reason });
    throw new Error(`ClickHouse at ${this.url}: ${reason}`);
  }
}

function answerOf(text: string): { data?: unknown; rows?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
