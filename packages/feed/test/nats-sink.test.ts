import assert from "node:assert/strict";
import { until } from "@cambium/test-utils/rpc-client";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import type { BlockRows } from "../src/rows.js";
import type { Position } from "../src/sink.js";
import { NatsSink } from "../src/sinks/nats.js";

const hash = (number: number, branch = "a") => `0x${branch.repeat(32)}${String(number).padStart(32, "0")}`;
const CONTENT = { chainId: 33, genesis: hash(0), tables: ["blocks", "logs"] as const };
const RETENTION = { maxAge: 0, maxBytes: -1 };

/** A block with some logs. */
function blockAt(number: number): BlockRows {
  const about = { block_number: number, block_hash: hash(number) };
  const logs = Array.from({ length: number % 3 }, (_, index) => ({ ...about, log_index: index, sign: 1 }));
  return {
    number,
    hash: hash(number),
    parentHash: hash(number - 1),
    bytes: 1_000,
    rows: { blocks: [{ ...about, sign: 1 }], logs },
  };
}

const blocks = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => blockAt(from + index));

describe("messages of other programs on the stream of a feed", function () {
  this.timeout(60_000);
  const { signal } = new AbortController();
  let server: NatsServer;
  let attacker: NatsConnection;
  let manager: JetStreamManager;
  let stream: string;
  let streams = 0;
  let sinks: NatsSink[] = [];

  function sinkTo(content: Parameters<NatsSink["open"]>[0] = CONTENT): {
    sink: NatsSink;
    open(): Promise<Position | undefined>;
  } {
    const sink = new NatsSink({ servers: [server.url], stream }, RETENTION, SILENT, signal);
    sinks.push(sink);
    const open = async () => {
      const position = await sink.open(content);
      return position && { number: position.number, hash: position.hash };
    };
    return { sink, open };
  }

  const publish = (table: string, body: string, about?: MsgHdrs) =>
    jetstream(attacker).publish(`${stream}.${table}`, body, about && { headers: about });

  /** Returns the final blocks and logs of a consumer that ignores messages of other senders. */
  async function content(): Promise<string[]> {
    const { state } = await manager.streams.info(stream);
    const rows = new Map<string, string[]>();
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = (await manager.streams.getMessage(stream, { seq }))!;
      if (!message.header.has("Cambium-Kind")) continue;
      const body = message.json<Record<string, unknown> | Record<string, unknown>[]>();
      const [, table] = message.subject.split(".");
      const of = (blockHash: unknown) => `${table} ${blockHash}`;
      if (!Array.isArray(body)) rows.delete(of(body.block_hash));
      else
        for (const row of body)
          rows.set(of(row.block_hash), [...(rows.get(of(row.block_hash)) ?? []), JSON.stringify(row)]);
    }
    return [...rows.values()].flat().toSorted();
  }

  const expected = (to: number) =>
    blocks(0, to)
      .flatMap(({ rows }) => [...rows.blocks!, ...rows.logs!])
      .map((row) => JSON.stringify(row))
      .toSorted();

  /** Headers of a feed's message. */
  function about(values: Record<string, string>): MsgHdrs {
    const out = headers();
    const all = {
      Chain: `33-${hash(0)}`,
      Tables: "logs,blocks",
      Kind: "block",
      Block: `6-${hash(6)}`,
      Below: "0",
      ...values,
    };
    for (const [name, value] of Object.entries(all)) out.set(`Cambium-${name}`, value);
    return out;
  }

  before(async function () {
    if (!hasNatsServer()) this.skip();
    server = await NatsServer.start();
    attacker = await connect({ servers: server.url });
    manager = await jetstreamManager(attacker);
  });

  beforeEach(() => {
    stream = `feed-${++streams}`;
  });

  afterEach(async () => {
    for (const sink of sinks) await sink.close();
    sinks = [];
  });

  after(async () => {
    await attacker?.close();
    await server?.remove();
  });

  const FOREIGN: Record<string, () => Promise<unknown>> = {
    "without headers": () => publish("blocks", "junk"),
    "with other headers": () => publish("logs", "[]", headers()),
    "of an unknown kind": () => publish("blocks", "{}", about({ Kind: "other" })),
    "without a block": () => publish("blocks", "{}", about({ Block: "6" })),
    "with a block of no number": () => publish("blocks", "{}", about({ Block: `1e9-${hash(6)}` })),
    "of another chain": () => publish("blocks", "{}", about({ Chain: `30-${hash(0)}` })),
    "of other tables": () => publish("blocks", "{}", about({ Tables: "blocks" })),
    "that refer to themselves": async () => publish("blocks", "{}", about({ Below: String((await last()) + 1) })),
    "that refer to later ones": async () => publish("blocks", "{}", about({ Below: String((await last()) + 100) })),
    "that refer to others": async () => {
      await publish("blocks", "junk");
      await publish("blocks", "{}", about({ Below: String(await last()) }));
    },
    "that refer to a block far below": () => publish("blocks", "{}", about({ Block: `900-${hash(6)}`, Below: "1" })),
    "that retract a block far above": () =>
      publish("logs", "{}", about({ Kind: "retraction", Block: `900-${hash(6)}`, At: "1" })),
  };

  const last = async () => (await manager.streams.info(stream)).state.last_seq;

  for (const [name, send] of Object.entries(FOREIGN)) {
    it(`are skipped ${name}`, async () => {
      const { sink, open } = sinkTo();
      await open();
      await sink.write(blocks(0, 5));
      await send();
      await assert.rejects(sink.write(blocks(6, 8)), /wrong last sequence/);
      assert.deepEqual(await open(), { number: 5, hash: hash(5) });
      await sink.write(blocks(6, 8));
      await send();
      const second = sinkTo();
      assert.deepEqual(await second.open(), { number: 8, hash: hash(8) });
      assert.equal(await second.sink.hashAt(3), hash(3));
      await second.sink.write(blocks(9, 10));
      await second.sink.retract(7);
      await second.sink.write(blocks(8, 10));
      assert.equal(await second.sink.hashAt(7), hash(7));
    });
  }

  it("leave no block out and none twice, whenever they arrive", async () => {
    const { sink, open } = sinkTo();
    await open();
    await sink.write(blocks(0, 0));
    let [next, refusals] = [0, 0];
    const attempt = async (): Promise<boolean> => {
      try {
        next = ((await open())?.number ?? -1) + 1;
        await sink.write(blocks(next, next + 20));
      } catch (error) {
        assert.match((error as Error).message, /wrong last sequence/);
        refusals++;
      }
      return next >= 300 && refusals > 0;
    };
    const attacking = setInterval(() => attacker.publish(`${stream}.blocks`, "junk"), 20);
    try {
      await until(attempt);
    } finally {
      clearInterval(attacking);
    }
    const { number } = (await open())!;
    assert.deepEqual(await content(), expected(number));
  });

  it("do not pass for messages that the server knows already", async () => {
    const { sink, open } = sinkTo();
    await open();
    await sink.write(blocks(0, 1));
    const { state } = await manager.streams.info(stream);
    // Ids of messages that an attacker could guess.
    for (const id of [`${state.last_seq + 1}.${hash(2)}`, `${state.last_seq + 2}.${hash(2)}`]) {
      await jetstream(attacker).publish(`${stream}.blocks`, "junk", { msgID: id });
    }
    await open();
    await sink.write(blocks(2, 5));
    assert.deepEqual(await content(), expected(5));
  });

  it("are refused if there are no others", async () => {
    await manager.streams.add({ name: stream, subjects: [`${stream}.*`] });
    await publish("blocks", "junk");
    await assert.rejects(sinkTo().open(), { code: "SINK" });
  });

  it("are refused if they are of another feed", async () => {
    const { sink, open } = sinkTo();
    await open();
    await sink.write(blocks(0, 2));
    await publish("blocks", "junk");
    for (const other of [{ chainId: 30 }, { genesis: hash(1) }, { tables: ["blocks"] as const }]) {
      await assert.rejects(sinkTo({ ...CONTENT, ...other }).open(), { code: "OTHER_CONTENT" });
    }
  });
});
