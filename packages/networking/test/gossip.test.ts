import assert from "node:assert/strict";
import type { BlockAnnouncement, GossipHandlers, Verdict } from "../src/index.js";
import { topicId } from "../src/wire/ids.js";
import { type TestNode, type TestNodeOptions, TestNodes, until } from "./support.js";

/** Judges that remember what they heard. */
class Ears implements GossipHandlers {
  readonly heard: string[] = [];
  readonly from: string[] = [];

  constructor(public verdict: Verdict = "accept") {}

  block = async (_: Uint8Array, from: string) => this.hear("block", from);
  blockHash = async ({ number }: BlockAnnouncement, from: string) => this.hear(`hash ${number}`, from);
  transactions = async (encoded: readonly Uint8Array[], from: string) => this.hear(`tx ${encoded.length}`, from);

  private hear(what: string, from: string): Verdict {
    this.heard.push(what);
    this.from.push(from);
    return this.verdict;
  }
}

const transaction = (n: number) => Uint8Array.of(0xc3, 0x82, 1 + (n >> 8), 0x80 | (n & 0x7f));
const announcement = (number: number) => ({ number, hash: new Uint8Array(32).fill(number), totalDifficulty: 5n });

describe("gossip", function () {
  this.timeout(20_000);
  const nodes = new TestNodes();

  afterEach(() => nodes.end());

  async function listening(verdict: Verdict = "accept", options: TestNodeOptions = {}): Promise<[TestNode, Ears]> {
    const node = await nodes.start(options);
    const ears = new Ears(verdict);
    node.network.setGossipHandlers(ears);
    return [node, ears];
  }

  /** Each connected to the next, and ready for news. */
  async function inLine(...line: TestNode[]): Promise<void> {
    for (const [i, node] of line.slice(1).entries()) await line[i]!.network.dial(node.address);
    await until(() => line.slice(1).every((node, i) => node.network.peer(line[i]!.network.ownId) !== undefined));
    // Meshes come a moment after the connections.
    await new Promise((resolve) => setTimeout(resolve, 500));
  }

  it("goes on where it is accepted, once, and never back", async () => {
    const [one, first] = await listening();
    const [middle, second] = await listening();
    const [other, third] = await listening();
    await inLine(one, middle, other);
    await one.network.publishBlockHash(announcement(1));
    await one.network.publishBlockHash(announcement(1));
    await one.network.publishTransactions([transaction(1), transaction(2)]);
    await until(() => third.heard.length === 2);
    assert.deepEqual(second.heard.toSorted(), ["hash 1", "tx 2"]);
    assert.deepEqual(third.heard.toSorted(), ["hash 1", "tx 2"]);
    assert.deepEqual([...new Set(third.from)], [middle.network.ownId]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.deepEqual(first.heard, []);
  });

  for (const verdict of ["ignore", "reject"] as const) {
    it(`ends where the verdict is ${verdict}`, async () => {
      const [one] = await listening();
      const [middle, second] = await listening(verdict);
      const [other, third] = await listening();
      await inLine(one, middle, other);
      await one.network.publishBlockHash(announcement(1));
      await until(() => second.heard.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.deepEqual(third.heard, []);
      // What follows from a bad block is for the judges to say.
      assert.equal(middle.network.peers().length, 2);
    });
  }

  it("is not heard before there are judges, and survives judges that fail", async () => {
    const deaf = await nodes.start();
    const [one] = await listening();
    await inLine(one, deaf);
    await one.network.publishBlockHash(announcement(1));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const ears = new Ears();
    const failing = { ...ears, transactions: () => Promise.reject(new Error("judge is ill")) };
    deaf.network.setGossipHandlers(failing);
    await one.network.publishTransactions([transaction(1)]);
    await one.network.publishBlockHash(announcement(2));
    await until(() => ears.heard.length === 1);
    assert.deepEqual(ears.heard, ["hash 2"]);
  });

  it("ends the connection where it is nonsense", async () => {
    const [one] = await listening();
    const [other, ears] = await listening();
    await inLine(one, other);
    const { service, label } = gossipOf(one);
    await service.publish(topicId("block-hash", label), Uint8Array.of(1, 2, 3));
    await until(() => other.network.peers().length === 0);
    assert.deepEqual(ears.heard, []);
    assert.equal(other.scoring.peerList()[0]?.invalidMessages, 1);
  });

  it("is counted above its rate", async () => {
    const [one] = await listening();
    const [other, ears] = await listening();
    await inLine(one, other);
    // 8 at once, and fifty times as many on networks of development.
    const all = Array.from({ length: 440 }, (_, i) => i);
    for (const i of all) await one.network.publishBlockHash({ ...announcement(1), number: 1000 + i });
    await until(() => other.network.peers().length === 0);
    assert.ok(ears.heard.length >= 390 && ears.heard.length < 440, `${ears.heard.length}`);
    assert.equal(other.scoring.peerList()[0]?.repeatedMessages, 10);
  });
});

/** The library's service inside, to say with it what the node never would. */
function gossipOf({ network }: TestNode): {
  service: { publish(topic: string, payload: Uint8Array): Promise<unknown> };
  label: string;
} {
  return (network as unknown as { gossip: { parts: ReturnType<typeof gossipOf> } }).gossip.parts;
}
