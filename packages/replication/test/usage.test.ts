import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { random } from "@cambium/test-utils/random";
import { until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { connectTo, UsagePublisher } from "../src/index.js";
import type { UsageMessage } from "../src/usage/usage-publisher.js";

const STREAM = "usage-of-a-test";

/** Usage that a test adds up, like the table of a server. */
class Source {
  lost = 0;
  private requests = 0;

  add(requests: number): void {
    this.requests += requests;
  }

  take() {
    const { requests } = this;
    this.requests = 0;
    const row = { key: "alice", class: "read", requests, units: requests, bytes: 0, errors: 0, refused: 0 };
    return requests > 0 ? [row] : [];
  }
}

describe("the stream of usage", function () {
  this.timeout(120_000);
  const next = random(SEED);
  let nats: NatsServer;
  let connection: NatsConnection;

  before(function () {
    if (!hasNatsServer()) this.skip();
  });

  beforeEach(async () => {
    nats = await NatsServer.start();
    const address = { servers: [nats.url], stream: STREAM };
    connection = (await connectTo(address, SILENT, new AbortController().signal))!;
  });

  afterEach(async () => {
    await connection?.close();
    await nats?.remove();
  });

  const publisherOf = (source: Source, interval = 20) =>
    new UsagePublisher({
      address: { servers: [nats.url], stream: STREAM },
      connection: () => connection,
      source,
      interval,
      logger: SILENT,
    });

  /** All messages of the stream, in order. */
  async function published(): Promise<UsageMessage[]> {
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(STREAM);
    const messages: UsageMessage[] = [];
    for (let sequence = 1; sequence <= state.last_seq; sequence++) {
      messages.push((await manager.streams.getMessage(STREAM, { seq: sequence }))!.json<UsageMessage>());
    }
    return messages;
  }

  /** The node's messages with records. */
  async function own(node: string): Promise<UsageMessage[]> {
    const manager = await jetstreamManager(connection);
    const { state } = await manager.streams.info(STREAM);
    const messages: UsageMessage[] = [];
    for (let seq = 1; seq <= state.last_seq; seq++) {
      const text = (await manager.streams.getMessage(STREAM, { seq }))!.string();
      if (text.includes(`"node":"${node}"`)) messages.push(JSON.parse(text));
    }
    return messages;
  }

  const sumOf = (messages: readonly UsageMessage[]) =>
    messages.flatMap(({ records }) => records).reduce((sum, { requests }) => sum + requests, 0);

  it("has each record exactly once, whenever the server is killed", async () => {
    const source = new Source();
    const publisher = publisherOf(source);
    let added = 0;
    for (let round = 0; round < 6; round++) {
      for (let i = 0; i < 20; i++) {
        const requests = Math.floor(next() * 10);
        source.add(requests);
        added += requests;
        await delay(Math.floor(next() * 10));
      }
      await nats.kill();
      source.add(5);
      added += 5;
      await nats.restart();
    }
    await until(async () => {
      const messages = await published().catch(() => []);
      return sumOf(messages) === added;
    });
    await publisher.close();
    const messages = await published();
    assert.equal(sumOf(messages), added);
    assert.deepEqual(
      messages.map(({ number }) => number),
      messages.map((_, i) => i + 1),
    );
    for (const [i, { node, from, to }] of messages.entries()) {
      assert.equal(node, messages[0]!.node);
      assert(from <= to && (i === 0 || from >= messages[i - 1]!.to));
    }
  });

  it("has the rest when a node stops, and the records of several nodes beside each other", async () => {
    const [one, two] = [new Source(), new Source()];
    const publishers = [publisherOf(one, 3_600_000), publisherOf(two, 3_600_000)];
    one.add(3);
    two.add(4);
    for (const publisher of publishers) await publisher.close();
    const messages = await published();
    assert.deepEqual(
      messages.map(({ number, records }) => [number, records[0]!.requests]),
      [
        [1, 3],
        [1, 4],
      ],
    );
    assert.notEqual(messages[0]!.node, messages[1]!.node);
  });

  it("has each record once, although another program publishes in the node's name", async () => {
    const source = new Source();
    const publisher = publisherOf(source);
    source.add(1);
    await until(async () => sumOf(await published().catch(() => [])) === 1);
    const [{ node }] = (await published()) as [UsageMessage];
    for (const [index, text] of ["junk", "", '{"number":1000000000}', '{"number":null}'].entries()) {
      await jetstream(connection).publish(`${STREAM}.${node}`, text);
      source.add(2);
      await until(async () => (await own(node)).length === index + 2);
    }
    await publisher.close();
    const messages = await own(node);
    assert.deepEqual(
      messages.map(({ number, records }) => [number, records[0]!.requests]),
      [1, 2, 3, 4, 5].map((number) => [number, number === 1 ? 1 : 2]),
    );
  });

  it("is given up when a node stops while the server is away, and the log says what is lost", async () => {
    const errors: object[] = [];
    const source = new Source();
    const logger = { ...SILENT, error: (details: object) => errors.push(details) };
    const address = { servers: [nats.url], stream: STREAM };
    await nats.kill();
    const publisher = new UsagePublisher({ address, connection: () => connection, source, interval: 20, logger });
    source.add(7);
    await publisher.close();
    assert.deepEqual(errors, [{ requests: 7 }]);
  });
});
