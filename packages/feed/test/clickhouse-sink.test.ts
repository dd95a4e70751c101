import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { ClickHouseSink } from "../src/sinks/clickhouse.js";

const HASH = `0x${"ab".repeat(32)}`;
const CONTENT = { chainId: 33, genesis: HASH, tables: ["blocks"] as const };
const STORED = { sequence: 5, block_number: 7, block_hash: HASH, chain_id: 33, genesis: HASH, tables: "blocks" };
const PAGE = "<html><body>Sign in to this network</body></html>";

const rows = (...data: unknown[]) => JSON.stringify({ data, rows: data.length });

describe("a ClickHouse server that answers anything", () => {
  let server: Server;
  /** Answers to queries that begin with a text; they take precedence over those of a server with seven blocks. */
  let lies: Record<string, string>;
  let changes: string[];

  const truth: Record<string, string> = {
    "SELECT name": rows({ name: "blocks" }, { name: "pool_events" }, { name: "feed_positions" }),
    "SELECT count() AS running": rows({ running: 0 }),
    "SELECT * FROM garbage.feed_positions": rows(STORED),
    "SELECT count() AS rows": rows({ rows: 0 }),
    "SELECT block_hash": rows(),
    "": "",
  };

  before(async () => {
    server = createServer(async (request, response) => {
      const query = new URL(request.url!, "http://host").searchParams.get("query");
      const asked = query ?? (await text(request));
      const [, answer] = [...Object.entries(lies), ...Object.entries(truth)].find(([start]) =>
        asked.startsWith(start),
      )!;
      if (!asked.startsWith("SELECT")) changes.push(asked);
      if (answer === "bomb") {
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(new Uint8Array(100_000_000)));
      } else if (answer === "endless") {
        const parts = function* () {
          for (;;) yield new Uint8Array(100_000);
        };
        Readable.from(parts())
          .on("error", () => undefined)
          .pipe(response);
        response.on("close", () => response.destroy());
      } else response.end(answer);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });

  beforeEach(() => {
    [lies, changes] = [{}, []];
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const sink = () => new ClickHouseSink(`clickhouse://127.0.0.1:${(server.address() as AddressInfo).port}/garbage`);

  it("has the position that it says", async () => {
    assert.deepEqual(await sink().open(CONTENT), { number: 7, hash: HASH });
    assert.deepEqual(changes, []);
  });

  it("changes nothing after an answer that is not whole", async () => {
    const queries = Object.keys(truth).filter((query) => /name|running|positions|rows/.test(query));
    const answers = [
      "",
      "null",
      "[]",
      "{}",
      "{",
      PAGE,
      '{"data":[],"rows":1}',
      '{"data":{},"rows":0}',
      "bomb",
      "endless",
    ];
    for (const query of queries) {
      for (const answer of answers) {
        lies = { [query]: answer };
        await assert.rejects(sink().open(CONTENT), Error, `${query}: ${answer}`);
        assert.deepEqual(changes, [], `${query}: ${answer}`);
      }
    }
    for (const query of queries.filter((one) => one.includes("count()"))) {
      for (const answer of [rows(), rows({}), rows({ rows: "x", running: null })]) {
        lies = { [query]: answer };
        await assert.rejects(sink().open(CONTENT), Error, `${query}: ${answer}`);
        assert.deepEqual(changes, []);
      }
    }
  });

  it("retracts nothing because an answer is empty", async () => {
    const opened = sink();
    await opened.open(CONTENT);
    lies = { "SELECT block_hash": "" };
    await assert.rejects(opened.hashAt(6));
    await assert.rejects(opened.retract(6));
    assert.deepEqual(changes, []);
  });

  it("has not stored rows if it answers an insertion with anything", async () => {
    const opened = sink();
    await opened.open(CONTENT);
    for (const answer of [PAGE, "Code: 241. DB::Exception: Memory limit exceeded", "{}"]) {
      lies = { "INSERT INTO": answer };
      await assert.rejects(
        opened.write([{ number: 8, hash: HASH, parentHash: HASH, bytes: 1, rows: { blocks: [{}] } }]),
      );
    }
  });

  it("ends the feed if its position is none, or of another feed", async () => {
    const damaged = [
      { block_number: 1.5 },
      { block_number: "7" },
      { block_number: -2 },
      { block_hash: "0x" },
      { block_hash: null },
    ];
    for (const values of damaged) {
      lies = { "SELECT * FROM": rows({ ...STORED, ...values }) };
      await assert.rejects(sink().open(CONTENT), { code: "SINK" });
    }
    lies = { "SELECT * FROM": rows({ ...STORED, chain_id: 30 }) };
    await assert.rejects(sink().open(CONTENT), { code: "OTHER_CONTENT" });
    assert.deepEqual(changes, []);
  });
});
