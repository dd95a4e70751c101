import assert from "node:assert/strict";
import type { Logger } from "@cambium/primitives";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { Feed, type FeedOptions } from "../src/feed.js";
import type { NodeClient } from "../src/node-client.js";
import type { BlockRows } from "../src/rows.js";
import type { Position, Sink } from "../src/sink.js";

/** Number of the feed's queries for the node's head while nothing happens. */
const IDLE_LOOKS = 20;

/** A node whose blocks are named by number and branch. */
class FakeNode {
  readonly url = "http://node";
  /** Branch of each block. */
  chain: string[];
  /** Numbers of the blocks whose content was requested. */
  asked: number[] = [];
  looks = 0;
  onLook: (looks: number) => void = () => undefined;

  constructor(length: number) {
    this.chain = Array.from({ length }, () => "a");
  }

  hash(number: number): string {
    return `${number}${this.chain[number]}`;
  }

  async head(): Promise<Position> {
    this.onLook(++this.looks);
    const number = this.chain.length - 1;
    return { number, hash: this.hash(number) };
  }

  async chainId(): Promise<number> {
    return 33;
  }

  async blockAt(number: number): Promise<{ hash: string } | undefined> {
    return number < this.chain.length ? { hash: this.hash(number) } : undefined;
  }

  async content(number: number) {
    this.asked.push(number);
    const parentHash = number > 0 ? this.hash(number - 1) : "";
    const block = { number: `0x${number.toString(16)}`, timestamp: "0x0", hash: this.hash(number), parentHash };
    return { block, receipts: [], traces: undefined };
  }
}

/** A destination in memory that takes ten blocks at a time. */
class TenBlocks implements Sink {
  readonly limits = { blocks: 10, bytes: 1_000_000, isEager: false };
  hashes: string[] = [];

  async open(): Promise<Position | undefined> {
    const number = this.hashes.length - 1;
    return number < 0 ? undefined : { number, hash: this.hashes[number]! };
  }

  async hashAt(number: number): Promise<string | undefined> {
    return this.hashes[number];
  }

  async write(blocks: readonly BlockRows[]): Promise<void> {
    this.hashes.push(...blocks.map(({ hash }) => hash));
  }

  async retract(above: number | undefined): Promise<void> {
    this.hashes.length = (above ?? -1) + 1;
  }

  async writePool(): Promise<void> {}

  async close(): Promise<void> {}
}

function feed(node: FakeNode, sink: Sink, changes: Partial<FeedOptions> = {}, logger: Logger = SILENT): Feed {
  const options = { withPool: false, fromBlock: 0, toBlock: undefined, confirmations: 0, requests: 4, pollInterval: 0 };
  return new Feed(node as unknown as NodeClient, sink, { ...options, tables: [], ...changes }, logger);
}

describe("a feed to a destination that takes several blocks at once", () => {
  it("asks for each block once, although it waits for more", async () => {
    const [node, sink, stop] = [new FakeNode(25), new TenBlocks(), new AbortController()];
    node.onLook = (looks) => {
      if (looks === IDLE_LOOKS) node.chain.push("a", "a", "a", "a", "a", "a");
      if (looks === 2 * IDLE_LOOKS) stop.abort();
    };
    await feed(node, sink).run(stop.signal);
    assert.deepEqual(node.asked, [...node.chain.keys()]);
    assert.deepEqual(
      sink.hashes,
      [...node.chain.keys()].slice(0, 30).map((number) => `${number}a`),
    );
  });

  it("forgets blocks that leave the best chain while they wait, and retracts written ones", async () => {
    const [node, sink, stop] = [new FakeNode(25), new TenBlocks(), new AbortController()];
    node.onLook = (looks) => {
      if (looks === IDLE_LOOKS) node.chain.fill("b", 22).push("b", "b", "b", "b", "b");
      if (looks === 2 * IDLE_LOOKS) node.chain.fill("c", 28).push("c", "c", "c", "c", "c", "c", "c", "c", "c", "c");
      if (looks === 3 * IDLE_LOOKS) stop.abort();
    };
    await feed(node, sink).run(stop.signal);
    assert.deepEqual(
      sink.hashes,
      node.chain.slice(0, sink.hashes.length).map((branch, number) => `${number}${branch}`),
    );
    assert.equal(sink.hashes.length, 38);
  });
});

/** Returns a logger and the messages that it received. */
function recorded() {
  const lines: string[] = [];
  const logger = { ...SILENT, info: (_details: object, message: string) => lines.push(message) } as Logger;
  return { lines, logger };
}

describe("the log of a feed", () => {
  it("says what the feed waits for, once, and ends with what it has fed", async () => {
    const [node, sink, stop] = [new FakeNode(81), new TenBlocks(), new AbortController()];
    const { lines, logger } = recorded();
    node.onLook = (looks) => {
      if (looks === IDLE_LOOKS) stop.abort();
    };
    await feed(node, sink, { confirmations: 120, fromBlock: 80 }, logger).run(stop.signal);
    const waits = lines.filter((line) => line.startsWith("Block 80 is fed at block 200, after 120 confirmations"));
    assert.equal(waits.length, 1, lines.join("\n"));
    assert.equal(lines.at(-1), "Fed no block");
  });

  it("counts blocks and rows", async () => {
    const { lines, logger } = recorded();
    await feed(new FakeNode(25), new TenBlocks(), { toBlock: 19 }, logger).run(new AbortController().signal);
    assert.match(lines.at(-1)!, /^Fed 20 blocks up to 19, \d+ rows$/);
  });
});
