import assert from "node:assert/strict";
import type { NetworkConfig } from "@cambium/config";
import { encodeRlp, RawRlp, toHex } from "@cambium/primitives";
import { settled } from "@cambium/test-utils/turning-clock";
import { Block, type BlockHeader, type HeaderFields } from "@cambium/types";
import { Maker, NOW, network, signed, TestNode, until } from "./support.js";

/** Returns the same block with another header under the proof of work. */
function withHeader(block: Block, changes: Parameters<BlockHeader["with"]>[0]): Block {
  return new Block(block.header.with(changes), block.transactions, block.uncles);
}

describe("blocks from gossip", () => {
  let maker: Maker;
  let line: Block[];

  before(async () => {
    maker = await Maker.open();
    line = await maker.line(12);
  });

  it("accepts a block before it is executed, then imports it", async () => {
    const node = await TestNode.open();
    assert.equal(await node.block(line[0]!), "accept");
    assert.deepEqual(node.net.eventsOf("peer"), []);
    await until(() => node.has(line[0]!), "import");
    await settled();
    assert.deepEqual(node.net.eventsOf("peer"), ["VALID_BLOCK"]);
    assert.deepEqual(node.net.published, []);
  });

  it("ignores known blocks and blocks being imported", async () => {
    const node = await TestNode.open();
    assert.deepEqual(await Promise.all([node.block(line[0]!), node.block(line[0]!, "other")]), ["accept", "ignore"]);
    assert.equal(await node.block(line[0]!, "third"), "ignore");
    await until(() => node.has(line[0]!), "import");
    assert.equal(await node.block(line[0]!, "fourth"), "ignore");
    await settled();
    assert.deepEqual(
      node.net.reports.map(({ peer }) => peer),
      ["peer"],
    );
  });

  it("waits for a parent that is being imported, so that the child is relayed too", async () => {
    const node = await TestNode.open();
    const verdicts = await Promise.all(line.slice(0, 6).map((block) => node.block(block)));
    assert.deepEqual(verdicts, new Array(6).fill("accept"));
    await until(() => node.has(line[5]!), "import");
    assert.equal(node.wanted.length, 0);
  });

  it("ignores everything while far behind", async () => {
    const node = await TestNode.open();
    node.isFarBehind = true;
    assert.equal(await node.block(line[0]!), "ignore");
    assert.equal(await node.block(Uint8Array.of(1)), "ignore");
    assert.equal(await node.announce(line[0]!, 5n), "ignore");
    assert.equal(await node.transactions([signed("cow")]), "ignore");
    assert.deepEqual(node.net.reports, []);
  });

  it("rejects bytes that are not a block", async () => {
    const node = await TestNode.open();
    const noBlocks = [
      new Uint8Array(0),
      Uint8Array.of(1, 2, 3),
      encodeRlp([]),
      encodeRlp([[], [], []]),
      encodeRlp([new RawRlp(line[0]!.header.encode("full")), []]),
      new Uint8Array(4 * 1024 * 1024 + 1),
    ];
    for (const bytes of noBlocks) assert.equal(await node.block(bytes), "reject", toHex(bytes.subarray(0, 40)));
    assert.deepEqual(node.net.eventsOf("peer"), new Array(noBlocks.length).fill("UNREADABLE_MESSAGE"));
  });

  it("ignores heights that are too far away", async () => {
    const node = await TestNode.open();
    for (const block of line.slice(0, 10)) await node.chain.import({ bytes: block.encode(), source: "sync" });
    const old = await maker.make({ parent: line[0]!.hash, extraData: "old" });
    assert.equal(old.number, 2);
    assert.equal(await node.block(old), "ignore");
    const uncle = await maker.make({ parent: line[1]!.hash, extraData: "uncle" });
    assert.equal(await node.block(uncle), "accept");
    assert.equal(await node.block(withHeader(line[11]!, { number: 10 + 3841 })), "ignore");
    await settled();
    assert.deepEqual(node.net.eventsOf("peer"), ["VALID_BLOCK"]);
    assert.equal(await node.block(withHeader(line[11]!, { number: 10 + 3840 })), "reject");
    assert.deepEqual(node.net.eventsOf("peer"), ["VALID_BLOCK", "INVALID_BLOCK"]);
  });

  it("rejects a block without proof of work, and does not record it", async () => {
    const node = await TestNode.open();
    const forged = withHeader(line[0]!, { parentChainCoinbase: line[1]!.header.parentChainCoinbase });
    assert.deepEqual(forged.hash, line[0]!.hash);
    assert.equal(await node.block(forged), "reject");
    assert.deepEqual(node.net.eventsOf("peer"), ["INVALID_BLOCK"]);
    assert.equal(await node.block(line[0]!, "honest"), "accept");
  });

  it("stores no orphan without proof of work", async () => {
    const node = await TestNode.open();
    const forged = withHeader(line[5]!, { parentChainCoinbase: line[1]!.header.parentChainCoinbase });
    assert.equal(await node.block(forged), "reject");
    assert.equal(node.service.waitingBlocks.count, 0);
    assert.deepEqual(node.wanted, []);
  });

  it("rejects headers that break a rule under their parent, without recording them", async () => {
    const node = await TestNode.open();
    const changes = [
      { difficulty: 2n },
      { gasLimit: Uint8Array.of(1) },
      { minimumGasPrice: 1_000_000n },
      { extraData: new Uint8Array(33) },
      { number: 2 },
    ];
    assert.equal(await node.block(withHeader(line[0]!, { number: 0 }), "other"), "reject");
    for (const header of changes) {
      const block = await maker.make({ parent: maker.chain.genesis.hash, header });
      assert.equal(await node.block(block), "reject", JSON.stringify(Object.keys(header)));
      assert.equal(node.chain.isKnownInvalid(block.hash), false);
    }
    assert.deepEqual(node.net.eventsOf("peer"), new Array(changes.length).fill("INVALID_BLOCK"));
  });

  it("validates a header with a parent that is itself an orphan", async () => {
    const node = await TestNode.open();
    assert.equal(await node.block(line[4]!), "ignore");
    const wrong = await maker.make({ parent: line[4]!.hash, header: { difficulty: 9n } });
    assert.equal(await node.block(wrong), "reject");
    assert.equal(node.service.waitingBlocks.count, 1);
  });

  it("rejects a wrong body, and accepts the right one afterwards", async () => {
    const node = await TestNode.open();
    const { header, transactions } = line[0]!;
    const bodies = [
      new Block(header, [signed("cow"), ...transactions], []),
      new Block(header, transactions, [line[3]!.header]),
      new Block(header, [], []),
    ];
    for (const body of bodies) {
      assert.equal(await node.block(body), "reject");
      assert.equal(await node.block(new Block(line[5]!.header, body.transactions, body.uncles)), "reject");
    }
    const garbled = encodeRlp([new RawRlp(header.encode("full")), [Uint8Array.of(1)], []]);
    assert.equal(await node.block(garbled), "reject");
    assert.deepEqual(node.net.eventsOf("peer"), new Array(7).fill("INVALID_BLOCK"));
    assert.equal(node.service.waitingBlocks.count, 0);
    assert.equal(node.chain.isKnownInvalid(header.hash), false);
    assert.equal(await node.block(line[0]!, "honest"), "accept");
    assert.equal(await node.block(line[5]!, "honest"), "ignore");
    assert.equal(node.service.waitingBlocks.count, 1);
  });

  it("records a block whose execution fails, and ignores it and its descendants", async () => {
    const node = await TestNode.open();
    const wrong = await failing({ stateRoot: new Uint8Array(32).fill(1) });
    assert.equal(await node.block(wrong), "accept");
    await until(() => node.chain.isKnownInvalid(wrong.hash), "memory");
    assert.equal(await node.block(wrong, "second"), "ignore");
    const child = await childOf(wrong);
    for (const block of [child, await childOf(child), child]) assert.equal(await node.block(block, "third"), "ignore");
    assert.equal(node.chain.isKnownInvalid(child.hash), false);
    assert.equal(node.service.waitingBlocks.count, 0);
    assert.deepEqual(node.wanted, []);
    assert.deepEqual(node.net.reports, []);
  });

  it("blames a peer for the third block within an hour whose execution fails", async () => {
    const node = await TestNode.open();
    // Two fees, a pause, and three more.
    for (const paidFees of [1n, 2n, 3n, 4n, 5n]) {
      if (paidFees === 3n) node.clock.now += 3600;
      assert.deepEqual(node.net.eventsOf("peer"), []);
      const wrong = await failing({ paidFees });
      await node.block(wrong);
      await until(() => node.chain.isKnownInvalid(wrong.hash), "memory");
    }
    await settled();
    assert.deepEqual(node.net.eventsOf("peer"), ["INVALID_BLOCK"]);
  });

  it("does not blame a deployed node, which passes on whatever it receives", async () => {
    const node = await TestNode.open();
    node.net.connect("deployed", undefined, undefined, "rlpx");
    for (const paidFees of [1n, 2n, 3n, 4n, 5n]) {
      const wrong = await failing({ paidFees });
      await node.block(wrong, "deployed");
      await until(() => node.chain.isKnownInvalid(wrong.hash), "memory");
    }
    assert.deepEqual(node.net.reports, []);
  });

  it("ignores the wrong body of a deployed node, which has not compared it either, but not a second one", async () => {
    const node = await TestNode.open();
    node.net.connect("deployed", undefined, undefined, "rlpx");
    const { header, transactions } = line[0]!;
    const bodies = [[signed("cow"), ...transactions], []].map((some) => new Block(header, some, []));
    assert.equal(await node.block(bodies[0]!, "deployed"), "ignore");
    assert.deepEqual(node.net.reports, []);
    assert.equal(await node.block(bodies[1]!, "deployed"), "reject");
    assert.deepEqual(node.net.eventsOf("deployed"), ["INVALID_BLOCK"]);
    assert.equal(await node.block(line[0]!, "honest"), "accept");
  });

  it("relays one block at a time before it is executed", async () => {
    const node = await TestNode.open();
    const wrong = await Promise.all([1n, 2n, 3n].map((paidFees) => failing({ paidFees })));
    const verdicts = await Promise.all(wrong.map((block, i) => node.block(block, `peer ${i}`)));
    assert.deepEqual(verdicts, ["accept", "ignore", "ignore"]);
    assert.deepEqual(node.net.reports, []);
  });

  it("relays blocks only after their execution for two hours after one has failed", async () => {
    const node = await TestNode.open();
    await node.block(await failing({ paidFees: 1n }));
    await until(() => node.warnings.length === 1, "failure");
    assert.equal(await node.block(await failing({ paidFees: 2n }), "other"), "ignore");
    assert.equal(await node.block(line[0]!), "accept");
    assert.equal(node.has(line[0]!), true);
    node.clock.now += 7200;
    assert.equal(await node.block(await failing({ paidFees: 3n }), "third"), "accept");
    assert.deepEqual(node.net.eventsOf("other"), []);
  });

  it("drops orphans of an invalid block", async () => {
    const node = await TestNode.open();
    const wrong = await maker.make({ parent: maker.chain.genesis.hash, header: { paidFees: 7n } });
    const child = await childOf(wrong);
    assert.equal(await node.block(child), "ignore");
    assert.equal(node.service.waitingBlocks.count, 1);
    assert.equal(await node.block(wrong), "accept");
    await until(() => node.chain.isKnownInvalid(wrong.hash), "memory");
    assert.deepEqual(node.service.waitingBlocks, { count: 0, bytes: 0 });
  });

  it("ignores the child of a block that turned out invalid while it waited", async () => {
    const node = await TestNode.open();
    const wrong = await maker.make({ parent: maker.chain.genesis.hash, header: { paidFees: 8n } });
    const verdicts = await Promise.all([node.block(wrong, "a"), node.block(await childOf(wrong), "b")]);
    assert.deepEqual(verdicts, ["accept", "ignore"]);
    assert.deepEqual(node.net.reports, []);
  });

  it("does not report a peer for failures of the node", async () => {
    const node = await TestNode.open();
    await node.chain.close();
    assert.equal(await node.block(line[0]!), "accept");
    await settled();
    assert.deepEqual(node.net.reports, []);
    assert.equal(node.warnings.length, 1);
  });

  it("accepts several blocks at one height", async () => {
    const node = await TestNode.open();
    for (let i = 0; i < 5; i++) {
      const sibling = await maker.make({ parent: maker.chain.genesis.hash, extraData: `sibling ${i}` });
      assert.equal(await node.block(sibling), "accept");
    }
    await until(() => node.net.eventsOf("peer").length === 5, "imports");
    assert.deepEqual(node.net.eventsOf("peer"), new Array(5).fill("VALID_BLOCK"));
  });

  it("validates at most a quarter of its capacity for one peer", async () => {
    const node = await TestNode.open();
    const siblings: Block[] = [];
    for (let i = 0; i < 20; i++) {
      siblings.push(await maker.make({ parent: maker.chain.genesis.hash, extraData: `crowd ${i}` }));
    }
    const verdicts = await Promise.all(siblings.map((block) => node.block(block)));
    assert.equal(verdicts.filter((verdict) => verdict === "accept").length, 16);
    assert.equal(verdicts.filter((verdict) => verdict === "ignore").length, 4);
    assert.deepEqual(new Set(node.net.eventsOf("peer")).has("INVALID_BLOCK"), false);
  });

  /** A block with real work that fails in execution. */
  async function failing(header: Partial<HeaderFields>): Promise<Block> {
    return maker.make({ parent: maker.chain.genesis.hash, header });
  }

  /** A mined child of an unknown block. */
  async function childOf(parent: Block): Promise<Block> {
    return maker.make({
      parent: maker.chain.genesis.hash,
      header: { parentHash: parent.hash, number: parent.number + 1, timestamp: parent.header.timestamp + 1n },
    });
  }

  describe("on a network with clocks", () => {
    const strict: NetworkConfig = {
      ...network,
      name: "strict",
      consensus: { ...network.consensus, validPeriod: 60, parentChainTimeWindow: 300 },
    };

    it("ignores a block from the future, and rejects one far from its parent-chain header", async () => {
      const makerOfStrict = await Maker.open(strict);
      const node = await TestNode.open({ network: strict });
      const parent = makerOfStrict.chain.genesis.hash;
      const make = (timestamp: number) => makerOfStrict.make({ parent, header: { timestamp: BigInt(timestamp) } });
      assert.equal(await node.block(await make(NOW + 61)), "ignore");
      assert.deepEqual(node.net.reports, []);
      const { header, transactions } = await make(NOW);
      const far = (await make(NOW - 400)).header;
      const mixed = new Block(header.with({ parentChainHeader: far.parentChainHeader }), transactions, []);
      assert.equal(await node.block(mixed), "reject");
      assert.deepEqual(node.net.eventsOf("peer"), ["INVALID_BLOCK"]);
    });

    it("leaves a block with a timestamp not above its parent's to synchronisation", async () => {
      const makerOfStrict = await Maker.open(strict);
      const node = await TestNode.open({ network: strict });
      const parent = await makerOfStrict.mine();
      await node.chain.import({ bytes: parent.encode(), source: "sync" });
      const { timestamp } = parent.header;
      const early = await makerOfStrict.make({ parent: parent.hash, header: { timestamp: BigInt(timestamp) } });
      assert.equal(await node.block(early), "ignore");
      assert.deepEqual(node.net.reports, []);
      assert.equal(node.has(early), false);
    });
  });
});
