import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { type TestNode, TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { RawPeer } from "@cambium/test-utils/peers/raw-peer";
import type { Connection } from "@libp2p/interface";
import { OPENED_STREAMS } from "../src/libp2p/peers/frame-counter.js";
import { ratesOf } from "../src/libp2p/requests/rates.js";
import { hashesProtocol } from "../src/libp2p/wire/hashes.js";
import { protocolsOf } from "../src/libp2p/wire/protocols.js";

const { tokens, window } = OPENED_STREAMS.streams;

describe("streams that end before protocol negotiation", () => {
  const nodes = new TestNodes();
  const raw: RawPeer[] = [];

  afterEach(async () => {
    await nodes.end();
    for (const peer of raw.splice(0)) await peer.libp2p.stop();
  });

  async function meeting(): Promise<[TestNode, RawPeer, Connection]> {
    const node = await nodes.start();
    const peer = await RawPeer.start();
    raw.push(peer);
    const connection = await peer.meet(node);
    await until(() => node.network.peers().length === 1);
    return [node, peer, connection];
  }

  function cardOf(node: TestNode) {
    return node.scoring.peerList().find(({ type }) => type === "node")!;
  }

  it("have a limit above the rates of requests", () => {
    const rates = Object.values(ratesOf(protocolsOf(NETWORKS.main), false).served);
    const most = rates.reduce((sum, rate) => sum + rate.tokens / rate.window, 0);
    assert.ok(most < tokens / window, `${most * 1000} a second`);
  });

  it("leave bodies a rate that keeps up with headers", () => {
    const { headers, bodies } = ratesOf(protocolsOf(NETWORKS.main), false).served;
    assert.ok(bodies.tokens / bodies.window >= headers.tokens / headers.window);
  });

  it("are accepted up to the limit, and end the connection above it", async () => {
    const [node, peer, connection] = await meeting();
    await atOnce(async () => {
      assert.equal(await peer.churn(connection, tokens - 100), tokens - 100);
      const [answer] = (await peer.ask(connection, "hashes", hashesProtocol.encodeRequest([0]))).frames;
      assert.equal(answer?.[0], 0);
      assert.equal(cardOf(node).repeatedMessages, 0);
      await peer.churn(connection, tokens);
      await until(() => connection.status !== "open");
    });
    assert.equal(node.network.peers().length, 0);
    assert.equal(cardOf(node).repeatedMessages, 1);
  });

  it("count when they are refused because too many are open", async () => {
    const [node, peer, connection] = await meeting();
    for (let i = 0; i < 128; i++) await muxerOf(connection).createStream();
    await atOnce(async () => {
      await peer.churn(connection, tokens);
      await until(() => connection.status !== "open");
    });
    assert.equal(cardOf(node).repeatedMessages, 1);
  });

  it("count together with pings", async () => {
    const [node, , connection] = await meeting();
    await atOnce(async () => {
      for (let id = 0; id < 2 * tokens; id++) muxerOf(connection).sendPing(id);
      await until(() => node.network.peers().length === 0);
    });
    assert.equal(cardOf(node).repeatedMessages, 1);
  });

  it("are remembered when the peer reconnects", async () => {
    const [node, peer, connection] = await meeting();
    await atOnce(async () => {
      await peer.churn(connection, 2 * tokens);
      await until(() => connection.status !== "open");
    });
    const again = await peer.meet(node);
    await atOnce(async () => {
      await peer.churn(again, 2 * tokens);
      await until(() => again.status !== "open");
    });
    assert.equal(cardOf(node).repeatedMessages, 2);
  });
});

/** Stops the clock of the rates, because a busy machine may open streams more slowly than the rates allow. */
async function atOnce(act: () => Promise<void>): Promise<void> {
  const now = performance.now();
  Object.defineProperty(performance, "now", { value: () => now, configurable: true });
  try {
    await act();
  } finally {
    Reflect.deleteProperty(performance, "now");
  }
}

/** Returns the library's inner muxer, for use that libp2p does not allow. */
function muxerOf(connection: Connection): { createStream(): Promise<unknown>; sendPing(id: number): void } {
  return (connection as unknown as { muxer: ReturnType<typeof muxerOf> }).muxer;
}
