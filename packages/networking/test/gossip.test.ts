import assert from "node:assert/strict";
import { encodeRlp } from "@cambium/primitives";
import { type TestNode, type TestNodeOptions, TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { RawPeer } from "@cambium/test-utils/peers/raw-peer";
import { settled } from "@cambium/test-utils/turning-clock";
import { RPC } from "@libp2p/gossipsub/message";
import type { BlockAnnouncement, GossipHandlers, Verdict } from "../src/index.js";
import { FrameReader, frameOf } from "../src/libp2p/requests/frames.js";
import { packTransactions } from "../src/libp2p/wire/gossip.js";
import { hashesProtocol } from "../src/libp2p/wire/hashes.js";
import { messageId, topicId } from "../src/libp2p/wire/ids.js";
import { MIB } from "../src/shared/limits.js";

/** Handlers that record what they receive. */
class RecordingHandlers implements GossipHandlers {
  readonly received: string[] = [];
  readonly from: string[] = [];

  constructor(public verdict: Verdict = "accept") {}

  block = async (_: Uint8Array, from: string) => ({ verdict: this.record("block", from) });
  blockHash = async ({ number }: BlockAnnouncement, from: string) => this.record(`hash ${number}`, from);
  transactions = async (encoded: readonly Uint8Array[], from: string) => this.record(`tx ${encoded.length}`, from);

  private record(what: string, from: string): Verdict {
    this.received.push(what);
    this.from.push(from);
    return this.verdict;
  }
}

/** The topics of these tests. */
const TOPICS = ["block-hash", "tx"] as const;

const transaction = (n: number) => Uint8Array.of(0xc3, 0x82, 1 + (n >> 8), 0x80 | (n & 0x7f));
const announcement = (number: number) => ({ number, hash: new Uint8Array(32).fill(number), totalDifficulty: 5n });

/** A request for the hash of the genesis block. */
const REQUEST = hashesProtocol.encodeRequest([0]);

describe("gossip", () => {
  const nodes = new TestNodes();

  const raw: RawPeer[] = [];

  afterEach(async () => {
    await nodes.end();
    for (const peer of raw.splice(0)) await peer.libp2p.stop();
  });

  async function listening(
    verdict: Verdict = "accept",
    options: TestNodeOptions = {},
  ): Promise<[TestNode, RecordingHandlers]> {
    const node = await nodes.start(options);
    const handlers = new RecordingHandlers(verdict);
    node.network.setGossipHandlers(handlers);
    return [node, handlers];
  }

  /** Connects each to the next, and waits until gossip works. */
  async function inLine(...line: TestNode[]): Promise<void> {
    for (const [i, node] of line.slice(1).entries()) await line[i]!.network.dial(node.address);
    await until(() => line.slice(1).every((node, i) => node.network.peer(line[i]!.network.ownId) !== undefined));
    const inMesh = (one: TestNode, other: TestNode) => {
      const { service, label } = gossipOf(one);
      return TOPICS.every((name) => service.getMeshPeers(topicId(name, label)).includes(other.network.ownId));
    };
    await until(() => line.slice(1).every((node, i) => inMesh(line[i]!, node) && inMesh(node, line[i]!)));
  }

  it("is relayed where it is accepted, once, and never back", async () => {
    const [one, first] = await listening();
    const [middle, second] = await listening();
    const [other, third] = await listening();
    await inLine(one, middle, other);
    await one.network.publishBlockHash(announcement(1));
    await one.network.publishBlockHash(announcement(1));
    await one.network.publishTransactions([transaction(1), transaction(2)]);
    await until(() => third.received.length === 2);
    assert.deepEqual(second.received.toSorted(), ["hash 1", "tx 2"]);
    assert.deepEqual(third.received.toSorted(), ["hash 1", "tx 2"]);
    assert.deepEqual([...new Set(third.from)], [middle.network.ownId]);
    // A later message arrives; no message came back before it.
    await other.network.publishBlockHash(announcement(2));
    await until(() => first.received.length > 0);
    assert.deepEqual(first.received, ["hash 2"]);
  });

  for (const verdict of ["ignore", "reject"] as const) {
    it(`ends where the verdict is ${verdict}`, async () => {
      const [one] = await listening();
      const [middle, second] = await listening(verdict);
      const [other, third] = await listening();
      await inLine(one, middle, other);
      await one.network.publishBlockHash(announcement(1));
      await until(() => second.received.length === 1);
      second.verdict = "accept";
      await one.network.publishBlockHash(announcement(2));
      await until(() => third.received.length > 0);
      assert.deepEqual(third.received, ["hash 2"]);
      // The validators decide on the consequences of a bad block.
      assert.equal(middle.network.peers().length, 2);
    });
  }

  it("is ignored without handlers, and survives handlers that fail", async () => {
    const deaf = await nodes.start();
    const [one] = await listening();
    await inLine(one, deaf);
    await one.network.publishBlockHash(announcement(1));
    // The connection carries the request after the message.
    await one.network.hashes(deaf.network.ownId, [0]);
    await settled();
    const handlers = new RecordingHandlers();
    const failing = { ...handlers, transactions: () => Promise.reject(new Error("judge is ill")) };
    deaf.network.setGossipHandlers(failing);
    await one.network.publishTransactions([transaction(1)]);
    await one.network.publishBlockHash(announcement(2));
    await until(() => handlers.received.length === 1);
    assert.deepEqual(handlers.received, ["hash 2"]);
  });

  it("ends the connection if it is malformed", async () => {
    const [one] = await listening();
    const [other, handlers] = await listening();
    await inLine(one, other);
    const { service, label } = gossipOf(one);
    await service.publish(topicId("block-hash", label), Uint8Array.of(1, 2, 3));
    await until(() => other.network.peers().length === 0);
    assert.deepEqual(handlers.received, []);
    assert.equal(other.scoring.peerList()[0]?.invalidMessages, 1);
  });

  for (const [what, bytes] of [
    ["too long", Uint8Array.of(0x80, 0x80, 0x80, 0x64)],
    ["of no length", new Uint8Array(9).fill(0xff)],
    ["nonsense", Uint8Array.of(3, 1, 2, 3)],
    ["with too many parts", Uint8Array.of(130, 1, ...new Array(65).fill([10, 0]).flat())],
  ] as const) {
    it(`ends the connection where a frame is ${what}`, async () => {
      const [node] = await listening();
      const peer = await RawPeer.start();
      raw.push(peer);
      const connection = await peer.meet(node);
      (await connection.newStream("/meshsub/1.2.0")).send(bytes);
      await until(() => connection.status !== "open");
      assert.equal(node.scoring.peerList()[0]?.invalidMessages, 1);
    });
  }

  it("does not score a peer for a stream that ends within a frame", async () => {
    const [node] = await listening();
    const peer = await RawPeer.start();
    raw.push(peer);
    const connection = await peer.meet(node);
    for (const end of ["close", "abort"] as const) {
      const stream = await connection.newStream("/meshsub/1.2.0");
      stream.send(Uint8Array.of(100, 1));
      await peer.ask(connection, "hashes", REQUEST);
      await stream[end](new Error("reset") as never);
      await peer.ask(connection, "hashes", REQUEST);
      await settled();
    }
    assert.equal(node.network.peers().length, 1);
    assert.equal(node.scoring.peerList()[0]?.invalidMessages, 0);
  });

  it("is answered in several frames if much is requested", async () => {
    const [node] = await listening();
    const large = Array.from({ length: 20 }, (_, i) => encodeRlp([new Uint8Array(100_000).fill(i)]));
    const peer = await RawPeer.start();
    raw.push(peer);
    let isSubscribed = false;
    const frames: number[] = [];
    await peer.libp2p.handle("/meshsub/1.2.0", async (stream) => {
      const reader = new FrameReader(stream);
      for (;;) {
        const frame = await reader.read(10 * MIB, { firstByte: 10_000, whole: 10_000 });
        if (frame.kind !== "frame") return;
        const { messages } = RPC.decode(frame.bytes);
        if (messages.length > 0) frames.push(messages.length);
        else isSubscribed = true;
      }
    });
    const topic = topicId("tx", peer.label);
    const messageIDs = large.map((transaction) => messageId(topic, packTransactions([transaction])[0]!));
    const control = { ihave: [], iwant: [{ messageIDs }], graft: [], prune: [], idontwant: [] };
    const stream = await (await peer.meet(node)).newStream("/meshsub/1.2.0");
    await until(() => isSubscribed && gossipOf(node).service.peers.has(peer.id));
    // This runs last, because gossip keeps messages for a few heartbeats only.
    await node.network.publishTransactions(large);
    stream.send(frameOf(RPC.encode({ subscriptions: [], messages: [], control })));
    await until(() => frames.length === 2);
    assert.deepEqual(frames.toSorted(), [10, 10]);
  });

  it("is scored above its rate", async () => {
    const [one] = await listening();
    const [other, handlers] = await listening();
    await inLine(one, other);
    // The limit is 8 in a burst, and fifty times as many on development networks.
    const all = Array.from({ length: 440 }, (_, i) => i);
    for (const i of all) await one.network.publishBlockHash({ ...announcement(1), number: 1000 + i });
    await until(() => other.network.peers().length === 0);
    assert.ok(handlers.received.length >= 390 && handlers.received.length < 440, `${handlers.received.length}`);
    assert.equal(other.scoring.peerList()[0]?.repeatedMessages, 10);
  });
});

/** The library's service, to publish messages that the node never would. */
function gossipOf({ network }: TestNode): {
  service: {
    peers: ReadonlyMap<string, unknown>;
    publish(topic: string, payload: Uint8Array): Promise<unknown>;
    getMeshPeers(topic: string): string[];
  };
  label: string;
} {
  return (network as unknown as { gossip: { parts: ReturnType<typeof gossipOf> } }).gossip.parts;
}
