import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BLOCK_TABLES, ClickHouseSink, Feed, NodeClient, ParquetSink, type Sink } from "@cambium/feed";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { ClickHouseStandIn } from "../e2e/clickhouse-stand-in.js";
import { clickHouseContent, parquetContent } from "../e2e/feed-content.js";
import { FaultyProxy } from "./faulty-proxy.js";
import { SyntheticNode } from "./synthetic-node.js";

/** Number of requests to a node or a destination that fail; a feed waits a second after each. */
const FAULTS = Number(process.env.FAULTS ?? 6);

describe("feeds whose node and destination answer anything, half of it, or not at all", function () {
  this.timeout(300_000);
  let folder: string;
  let node: SyntheticNode;
  let standIn: ClickHouseStandIn;
  const proxies: FaultyProxy[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-feed-garbage-"));
    node = await SyntheticNode.start(SEED);
    standIn = await ClickHouseStandIn.start();
  });

  after(async () => {
    for (const proxy of proxies) await proxy.close();
    await node?.close();
    await standIn?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function proxyOf(target: string, seed: number): Promise<FaultyProxy> {
    const proxy = await FaultyProxy.start(target, random(seed), FAULTS);
    proxies.push(proxy);
    return proxy;
  }

  /** Feeds the changing chain until all faults are over. Restarts the feed if it cannot identify its node. */
  async function feed(url: string, sink: Sink, isOver: () => boolean): Promise<void> {
    const about = {
      tables: BLOCK_TABLES,
      withPool: false,
      fromBlock: 0,
      confirmations: 0,
      requests: 4,
      pollInterval: 20,
    };
    for (;;) {
      const stopped = new AbortController();
      const look = setInterval(() => {
        if (isOver()) stopped.abort();
      }, 50);
      const running = new Feed(new NodeClient(url), sink, { ...about, toBlock: undefined }, SILENT);
      try {
        await running.run(stopped.signal);
        break;
      } catch (error) {
        assert.equal((error as { code?: string }).code, "NODE", String(error));
      } finally {
        clearInterval(look);
      }
    }
  }

  it("have every row of the best chain once, and no other", async () => {
    const database = `${standIn.url}/garbage`;
    const [toClickHouse, toStandIn, toParquet] = [
      await proxyOf(node.url, SEED),
      await proxyOf(standIn.url.replace("clickhouse:", "http:"), SEED + 1),
      await proxyOf(node.url, SEED + 2),
    ];
    const clickHouse = new ClickHouseSink(`${toStandIn.url.replace("http:", "clickhouse:")}/garbage`);
    const parquet = new ParquetSink(`${folder}/rows`, 20);
    await Promise.all([
      feed(toClickHouse.url, clickHouse, () => toClickHouse.isFaultless && toStandIn.isFaultless),
      feed(toParquet.url, parquet, () => toParquet.isFaultless),
    ]);
    node.freeze();
    const toBlock = node.hashes.length - 1;
    for (const sink of [clickHouse, parquet, new ParquetSink(`${folder}/faultless`, 20)]) {
      const about = { tables: BLOCK_TABLES, withPool: false, fromBlock: 0, toBlock, confirmations: 0 };
      const options = { ...about, requests: 4, pollInterval: 20 };
      await new Feed(new NodeClient(node.url), sink, options, SILENT).run(new AbortController().signal);
    }
    const expected = await parquetContent(`${folder}/faultless`);
    assert.equal(expected.blocks!.length, node.hashes.length);
    assert.deepEqual(await parquetContent(`${folder}/rows`), expected);
    assert.deepEqual(await clickHouseContent(database), expected);
  });
});
