import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTER_CODE } from "@cambium/test-utils/counter-contract";
import { runCli, startNode } from "@cambium/test-utils/node-cli";
import { until } from "@cambium/test-utils/rpc-client";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { DuckDBInstance } from "@duckdb/node-api";
import { id, toBeHex, zeroPadValue } from "ethers";
import { ClickHouseStandIn } from "./clickhouse-stand-in.js";
import { type Dev, startDev } from "./dev-process.js";
import {
  clickHouseContent,
  clickHouseRows,
  expectedCounts,
  type FeedContent,
  natsContent,
  parquetContent,
  poolEvents,
  startFeed,
} from "./feed-content.js";

const ALL = "blocks,transactions,logs,internal_calls,bridge_events";
const BRIDGE = "0x0000000000000000000000000000000001000006";
const ETHER = 10n ** 18n;
/** A ClickHouse server without a password, as `clickhouse://host:port`, instead of the stand-in. */
const { CLICKHOUSE_URL } = process.env;

/** The pieces of SQL in docs/feed-queries.md. */
function documentedQueries(): string[] {
  const page = readFileSync(new URL("../../docs/feed-queries.md", import.meta.url), "utf8");
  return [...page.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, query]) => query!.trim());
}

/** Returns values in a form that both databases share, except for the form of days and the precision of fractions. */
function comparable(rows: readonly Record<string, unknown>[]): unknown[] {
  const shown = (value: unknown) => {
    const text = String(value);
    if (/^\d{4}-\d\d-\d\d/.test(text)) return text.slice(0, 10);
    return /^[\d.e-]+$/.test(text) ? Number(text).toPrecision(9) : text;
  };
  return rows.map((row) => Object.entries(row).map(([name, value]) => [name, shown(value)]));
}

describe("node-cli feed", function () {
  this.timeout(120_000);
  let folder: string;
  let dev: Dev;
  let nats: NatsServer | undefined;
  let standIn: ClickHouseStandIn | undefined;
  let databases = 0;
  let accounts: string[];
  let counter: string;

  async function send(transaction: object): Promise<{ contractAddress: string }> {
    const hash = await dev.rpc.call("eth_sendTransaction", { from: accounts[0], gas: "0x50000", ...transaction });
    return dev.rpc.call("eth_getTransactionReceipt", hash);
  }

  function add(amount: number): Promise<unknown> {
    return send({ to: counter, data: id("add(uint256)").slice(0, 10) + zeroPadValue(toBeHex(amount), 32).slice(2) });
  }

  /** Returns a separate database for a test. */
  function clickHouse(): string {
    return `${CLICKHOUSE_URL ?? standIn!.url}/feed_${process.pid}_${++databases}`;
  }

  async function height(): Promise<number> {
    return Number(await dev.rpc.call("eth_blockNumber"));
  }

  /** Feeds all blocks so far, and ends. */
  async function feed(to: string, ...more: string[]): Promise<void> {
    const last = String(await height());
    const { status, stderr, stdout } = await runCli(
      ...["feed", "--to", to, "--rpc", dev.url, "--tables", ALL, "--confirmations", "0", "--to-block", last, ...more],
    );
    assert.equal(status, 0, stderr + stdout);
  }

  async function requireComplete(content: FeedContent): Promise<void> {
    const counts = Object.fromEntries(Object.entries(content).map(([table, rows]) => [table, rows.length]));
    assert.deepEqual(counts, await expectedCounts(dev.rpc, await height()));
    for (const text of content.blocks!) {
      const { block_number: number, block_hash: hash } = JSON.parse(text);
      assert.equal((await dev.rpc.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false)).hash, hash);
    }
  }

  before(async () => {
    dev = await startDev();
    if (CLICKHOUSE_URL === undefined) standIn = await ClickHouseStandIn.start();
    if (hasNatsServer()) nats = await NatsServer.start();
    accounts = await dev.rpc.call("eth_accounts");
    counter = (await send({ data: COUNTER_CODE })).contractAddress;
    await add(1);
    await assert.rejects(add(101), /revert/);
    await send({ to: BRIDGE, value: toBeHex(ETHER / 100n) });
    for (let i = 0; i < 6; i++) await add(2);
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-feed-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  after(async () => {
    await dev?.stop();
    await nats?.remove();
    await standIn?.close();
  });

  it("writes Parquet files whose rows are what JSON-RPC says, and goes on where it ended", async () => {
    await feed(`parquet:${folder}`, "--parquet.blocks", "4");
    await add(3);
    await feed(`parquet:${folder}`, "--parquet.blocks", "4");
    const content = await parquetContent(folder);
    await requireComplete(content);
    const [event] = content.bridge_events!.map((text) => JSON.parse(text));
    assert.equal(event.event, "release_request_received");
    assert.equal(event.account, accounts[0]);
    assert.equal(event.amount, String(ETHER / 100n));
    const failed = content.internal_calls!.map((text) => JSON.parse(text)).filter(({ succeeded }) => !succeeded);
    assert.deepEqual(
      failed.map(({ to_address: to, error }) => [to, error]),
      [[counter, "Reverted"]],
    );
  });

  it("publishes the same rows to a JetStream stream", async function () {
    if (nats === undefined) return this.skip();
    await feed(nats.url, "--nats.stream", "same");
    await feed(`parquet:${folder}`);
    assert.deepEqual(await natsContent(nats.url, "same"), await parquetContent(folder));
  });

  it("inserts the same rows into ClickHouse", async () => {
    const database = clickHouse();
    await feed(database);
    await feed(`parquet:${folder}`);
    assert.deepEqual(await clickHouseContent(database), await parquetContent(folder));
  });

  it("follows the best chain, and retracts blocks that leave it", async function () {
    if (nats === undefined) return this.skip();
    const { url } = nats;
    const database = clickHouse();
    const args = [
      "--rpc",
      dev.url,
      "--tables",
      ALL,
      "--confirmations",
      "0",
      "--parquet.blocks",
      "1",
      "--log.level",
      "debug",
    ];
    const feeds = [
      startFeed("--to", url, "--nats.stream", "following", ...args),
      startFeed("--to", `parquet:${folder}`, ...args),
      startFeed("--to", database, ...args),
    ];
    const contents = () =>
      Promise.all([natsContent(url, "following"), parquetContent(folder), clickHouseContent(database)]);
    const have = async (number: number) => {
      const { hash } = await dev.rpc.call("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
      await until(async () => {
        const read = await contents().catch(() => []);
        return (
          read.length === 3 &&
          read.every(
            ({ blocks }) =>
              blocks!.length === number + 1 && blocks!.some((row) => row.includes(`"block_hash":"${hash}"`)),
          )
        );
      });
    };
    await have(await height());
    const snapshot = await dev.rpc.call("evm_snapshot");
    for (let i = 0; i < 3; i++) await add(1);
    await have(await height());
    await dev.rpc.call("evm_revert", snapshot);
    for (let i = 0; i < 2; i++) await send({ to: accounts[1], value: "0x1" });
    await have(await height());
    for (const running of feeds) running.kill("SIGINT");
    for (const running of feeds) assert.equal(await running.ended, 0, running.output());
    for (const content of await contents()) await requireComplete(content);
  });

  it("retracts on start what left the best chain while it was away", async () => {
    const database = clickHouse();
    const snapshot = await dev.rpc.call("evm_snapshot");
    for (let i = 0; i < 5; i++) await add(1);
    await feed(`parquet:${folder}`, "--parquet.blocks", "3");
    await feed(database);
    if (nats !== undefined) await feed(nats.url, "--nats.stream", "away");
    await dev.rpc.call("evm_revert", snapshot);
    for (let i = 0; i < 6; i++) await send({ to: accounts[1], value: "0x1" });
    await feed(`parquet:${folder}`, "--parquet.blocks", "3");
    await requireComplete(await parquetContent(folder));
    await feed(database);
    await requireComplete(await clickHouseContent(database));
    if (nats === undefined) return;
    await feed(nats.url, "--nats.stream", "away");
    await requireComplete(await natsContent(nats.url, "away"));
  });

  it("refuses a destination with another chain or other tables", async () => {
    await feed(`parquet:${folder}`);
    const tables = await runCli(
      "feed",
      "--to",
      `parquet:${folder}`,
      "--rpc",
      dev.url,
      "--tables",
      "logs",
      "--to-block",
      "1",
    );
    assert.equal(tables.status, 1);
    assert.match(tables.stderr, /holds another feed: its tables is/);
    const other = await startDev();
    try {
      const chain = await runCli(
        "feed",
        "--to",
        `parquet:${folder}`,
        "--rpc",
        other.url,
        "--tables",
        ALL,
        "--to-block",
        "1",
      );
      assert.equal(chain.status, 1);
      assert.match(chain.stderr, /holds another feed: its genesis is/);
    } finally {
      await other.stop();
    }
  });

  it("answers the queries of the documentation", async () => {
    await feed(`parquet:${folder}`);
    const [views, ...queries] = documentedQueries();
    assert(queries.length > 5);
    const database = await DuckDBInstance.create(":memory:").then((instance) => instance.connect());
    await database.run(views!.replaceAll("rows/", `${folder}/`));
    const target = CLICKHOUSE_URL === undefined ? undefined : clickHouse();
    if (target !== undefined) await feed(target);
    for (const query of queries) {
      const rows = (await database.runAndReadAll(query)).getRowObjectsJson();
      assert(rows.length > 0, query);
      if (target !== undefined)
        assert.deepEqual(comparable(await clickHouseRows(target, query)), comparable(rows), query);
    }
    database.closeSync();
  });

  it("writes transactions that reach the pool", async () => {
    const feed = startFeed(
      ...["--to", `parquet:${folder}`, "--rpc", dev.url, "--tables", "pool_events", "--confirmations", "0"],
    );
    const sent: string[] = [];
    const pool = async () => {
      sent.push(await dev.rpc.call("eth_sendTransaction", { from: accounts[2], to: accounts[1], value: "0x5" }));
      return (await poolEvents(folder)).length > 0;
    };
    await until(pool);
    feed.kill("SIGTERM");
    assert.equal(await feed.ended, 0, feed.output());
    for (const event of await poolEvents(folder)) {
      assert(sent.includes(String(event.transaction_hash)));
      assert.deepEqual([event.from_address, event.to_address, event.value], [accounts[2], accounts[1], "5"]);
    }
  });

  it("names the flag if the node does not trace", async () => {
    const config = join(folder, "rpc.json");
    writeFileSync(config, JSON.stringify({ modules: { trace: { enabled: false } } }));
    const node = await startNode("--network", "local", "--data-dir", join(folder, "node"), "--rpc.config", config);
    try {
      const { status, stderr } = await runCli(
        "feed",
        "--to",
        `parquet:${folder}/rows`,
        "--rpc",
        node.url,
        "--tables",
        ALL,
      );
      assert.equal(status, 1);
      assert.match(stderr, /does not serve trace_block, which the table internal_calls needs: .*--rpc.modules trace/);
    } finally {
      await node.stop();
    }
  });

  it("ends on SIGTERM although the database does not answer", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const asked = once(server, "connection");
    const { port } = server.address() as AddressInfo;
    const feed = startFeed("--to", `clickhouse://127.0.0.1:${port}/feed`, "--rpc", dev.url);
    await asked;
    feed.kill("SIGTERM");
    assert.equal(await feed.ended, 0, feed.output());
    server.close();
  });

  it("names the flag if no node answers, or the address is none", async () => {
    const away = await runCli("feed", "--to", `parquet:${folder}`, "--rpc", "http://127.0.0.1:1");
    assert.equal(away.status, 1);
    assert.match(away.stderr, /cannot read from the node http:\/\/127.0.0.1:1: .*; check --rpc/);
    const wrong = await runCli("feed", "--to", "mysql://x", "--rpc", dev.url);
    assert.equal(wrong.status, 1);
    assert.match(wrong.stderr, /invalid value 'mysql:\/\/x' for --to: expected nats:/);
  });
});
