import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withDefaults } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { sleep } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { ClickHouseStandIn } from "../e2e/clickhouse-stand-in.js";
import { clickHouseContent, type FeedContent, natsContent, parquetContent, startFeed } from "../e2e/feed-content.js";
import { SyntheticNode } from "./synthetic-node.js";

/** Number of kills of the feed for each destination. */
const KILLS = Number(process.env.KILLS ?? 6);
/** Maximum number of requests to the node after which a feed is killed, and milliseconds after these. */
const MAX_REQUESTS = 120;
const MAX_DELAY = 40;

interface Destination {
  to: string;
  flags: readonly string[];
  content(): Promise<FeedContent>;
}

describe("feeds that are killed", function () {
  this.timeout(120_000 + KILLS * 60_000);
  let folder: string;
  let node: SyntheticNode;
  let nats: NatsServer | undefined;
  let standIn: ClickHouseStandIn | undefined;
  let destinations: Destination[];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-feed-kill-"));
    node = await SyntheticNode.start(SEED);
    if (hasNatsServer()) nats = await NatsServer.start();
    standIn = process.env.CLICKHOUSE_URL === undefined ? await ClickHouseStandIn.start() : undefined;
    const database = `${standIn?.url ?? process.env.CLICKHOUSE_URL}/feed_kill_${process.pid}`;
    destinations = [
      {
        to: `parquet:${folder}/rows`,
        flags: ["--parquet.blocks", "20"],
        content: () => parquetContent(`${folder}/rows`),
      },
      { to: database, flags: [], content: () => clickHouseContent(database) },
    ];
    if (nats === undefined) return;
    const { url } = nats;
    destinations.push({ to: url, flags: ["--nats.stream", "killed"], content: () => natsContent(url, "killed") });
  });

  after(async () => {
    await node?.close();
    await nats?.remove();
    await standIn?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const feedTo = ({ to, flags }: Pick<Destination, "to" | "flags">, ...more: string[]) =>
    startFeed(
      ...withDefaults(more, { "--rpc": node.url }),
      ...["--to", to, "--confirmations", "0", ...flags],
      ...["--tables", "blocks,transactions,logs,internal_calls,bridge_events"],
    );

  const last = () => String(node.hashes.length - 1);

  it("have every row of the best chain once, and no other, while the chain is reorganised", async () => {
    const next = random(SEED);
    const moments = destinations.map(() => Array.from({ length: KILLS }, () => [next() ** 2, next()] as const));
    await Promise.all(
      destinations.map(async (destination, i) => {
        for (const [requests, delay] of moments[i]!) {
          const reached = node.requested(`/${i}`, 1 + requests * MAX_REQUESTS);
          const feed = feedTo(destination, "--rpc", `${node.url}/${i}`);
          await Promise.race([reached, feed.ended]);
          await sleep(delay * MAX_DELAY);
          feed.kill("SIGKILL");
          assert.equal(await feed.ended, null, feed.output());
        }
      }),
    );
    node.freeze();
    const whole = { to: `parquet:${folder}/unkilled`, flags: [], content: () => parquetContent(`${folder}/unkilled`) };
    for (const destination of [whole, ...destinations]) {
      const feed = feedTo(destination, "--to-block", last());
      assert.equal(await feed.ended, 0, feed.output());
    }
    const expected = await whole.content();
    const hashes = expected.blocks!.map((row) => JSON.parse(row).block_hash);
    assert.deepEqual(hashes.toSorted(), node.hashes.toSorted());
    for (const { to, content } of destinations) {
      const found = await content();
      for (const table of Object.keys(expected))
        assert(same(found[table]!, expected[table]!), `${to} differs in ${table}`);
    }
  });

  it("go on when the NATS server is killed and starts again", async function () {
    if (nats === undefined) return this.skip();
    const { url } = nats;
    const feed = feedTo({ to: url, flags: ["--nats.stream", "restarted"] }, "--to-block", last());
    for (const count of [60, 60]) {
      await node.requested("/", count);
      await nats.kill();
      await nats.restart();
    }
    assert.equal(await feed.ended, 0, feed.output());
    const found = await natsContent(url, "restarted");
    assert.deepEqual(found.blocks!.map((row) => JSON.parse(row).block_hash).toSorted(), node.hashes.toSorted());
    const whole = await parquetContent(`${folder}/unkilled`);
    for (const table of Object.keys(whole)) assert(same(found[table]!, whole[table]!), `differs in ${table}`);
  });
});

/** Compares without printing the text of thousands of rows. */
function same(found: readonly string[], expected: readonly string[]): boolean {
  return found.length === expected.length && found.every((row, i) => row === expected[i]);
}
