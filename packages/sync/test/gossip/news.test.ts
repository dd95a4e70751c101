import assert from "node:assert/strict";
import { localBlock } from "@cambium/chain";
import { toHex } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { settled } from "@cambium/test-utils/turning-clock";
import type { Block, Transaction } from "@cambium/types";
import { Maker, signed, TestNode } from "./support.js";

describe("announcements of a node", () => {
  let timers: ManualClock;
  let node: TestNode;
  const messages = () => node.net.of<Uint8Array[]>("transactions").map((message) => message.map(toHex));
  const hexOf = (...transactions: readonly Transaction[]) => transactions.map(({ encoded }) => toHex(encoded));

  beforeEach(async () => {
    timers = new ManualClock();
    node = await TestNode.open({ timers });
  });

  describe("of blocks", () => {
    const published = () => node.net.of<Uint8Array>("block").map(toHex);

    it("that are locally produced are published in full, once", async () => {
      const blocks = [await node.mine(), await node.mine()];
      timers.pass(1000);
      assert.deepEqual(
        published(),
        blocks.map((block) => toHex(block.encode())),
      );
      assert.deepEqual(node.net.of("blockHash"), []);
      // A peer relays the block back.
      assert.equal(await node.block(blocks[0]!), "ignore");
      assert.equal(published().length, 2);
    });

    it("that are locally produced on a side chain are published too: they may become uncles", async () => {
      const maker = await Maker.open();
      const line = await maker.line(3);
      for (const block of line) await node.chain.import({ bytes: block.encode(), source: "sync" });
      const aside = await maker.make({ parent: line[1]!.hash, extraData: "aside", header: {} });
      const { kind } = await node.chain.import(localBlock(aside));
      assert.ok(kind.startsWith("imported"));
      assert.deepEqual(published(), [toHex(aside.encode())]);
    });

    it("that were synchronised near the tip are announced by hash, only the last of several", async () => {
      const line = await (await Maker.open()).line(5);
      for (const block of line) await node.chain.import({ bytes: block.encode(), source: "sync" });
      timers.pass(99);
      assert.deepEqual(node.net.published, []);
      timers.pass(1);
      assert.deepEqual(
        node.net.of<{ hash: Uint8Array }>("blockHash").map(({ hash }) => toHex(hash)),
        [toHex(line[4]!.hash)],
      );
      assert.deepEqual(published(), []);
    });

    it("that were synchronised while far behind are not announced", async () => {
      node.isFarBehind = true;
      const line = await (await Maker.open()).line(5);
      for (const block of line) await node.chain.import({ bytes: block.encode(), source: "sync" });
      timers.pass(1000);
      assert.deepEqual(node.net.published, []);
    });

    it("are not announced when a local network is reverted", async () => {
      const first = await node.mine();
      await node.mine();
      await node.chain.rewind(first.hash);
      await node.chain.rewind(node.chain.genesis.hash);
      timers.pass(1000);
      assert.equal(published().length, 2);
      assert.deepEqual(node.net.of("blockHash"), []);
    });
  });

  describe("of transactions", () => {
    it("that are local are collected and published once", async () => {
      const all = [signed("cow"), signed("cow1"), signed("cow", { nonce: 1n })];
      for (const transaction of all) node.pool.add(transaction, { local: true });
      assert.deepEqual(messages(), []);
      timers.pass(5);
      assert.deepEqual(messages(), [hexOf(...all)]);
      node.pool.add(all[0]!, { local: true });
      timers.pass(1000);
      assert.equal(messages().length, 1);
    });

    it("travel in messages of at most 64", () => {
      const all: Transaction[] = [];
      for (let i = 0; i < 10; i++) {
        for (let nonce = 0n; nonce < 15n; nonce++) all.push(signed(i === 0 ? "cow" : `cow${i}`, { nonce }));
      }
      for (const result of node.pool.addAll(all, { local: true })) assert.equal(result.kind, "pending");
      timers.pass(5);
      assert.deepEqual(
        messages().map(({ length }) => length),
        [64, 64, 22],
      );
      assert.deepEqual(messages().flat(), hexOf(...all));
    });

    it("that were queued are published when they become pending, whatever the cause", async () => {
      const [first, second, third] = [0n, 1n, 2n].map((nonce) => signed("cow", { nonce }));
      node.pool.add(third!, { local: true });
      timers.pass(5);
      assert.deepEqual(messages(), []);
      node.pool.add(second!, { local: false });
      node.pool.add(first!, { local: false });
      timers.pass(5);
      // Transactions from peers are already being relayed.
      assert.deepEqual(messages(), [hexOf(third!)]);

      const waiting = signed("cow1", { nonce: 1n });
      node.pool.add(waiting, { local: true });
      const maker = await Maker.open();
      await node.chain.import({
        bytes: (await maker.mine({ transactions: [signed("cow1", { nonce: 0n })] })).encode(),
        source: "sync",
      });
      assert.equal(node.pool.get(waiting.hash)?.isPending, true);
      timers.pass(5);
      assert.deepEqual(messages().at(-1), hexOf(waiting));
    });

    it("are published with those of others that they promote", () => {
      const [first, second] = [0n, 1n].map((nonce) => signed("cow", { nonce }));
      node.pool.add(second!, { local: false });
      node.pool.add(first!, { local: true });
      timers.pass(5);
      assert.deepEqual(messages(), [hexOf(first!, second!)]);
    });

    it("from peers are not repeated", async () => {
      await node.transactions([signed("cow")]);
      timers.pass(100);
      assert.deepEqual(messages(), []);
    });

    it("from peers are passed on to wires without gossip once they are pending", async () => {
      const [first, second, third] = [0n, 1n, 2n].map((nonce) => signed("cow", { nonce }));
      assert.equal(await node.transactions([third!, second!]), "accept");
      assert.equal(node.net.pending.length, 0);
      await node.transactions([first!]);
      assert.deepEqual(
        node.net.pending.map((message) => message.map(toHex)),
        [hexOf(first!, second!, third!)],
      );
    });

    it("that a reorganisation returns to the pool are not sent again immediately", async () => {
      const maker = await Maker.open();
      const transaction = signed("cow");
      node.pool.add(transaction, { local: true });
      timers.pass(5);
      const genesis = maker.chain.genesis.hash;
      const abandoned = await maker.mine({ parent: genesis, transactions: [transaction] });
      const better = await maker.line(3, { parent: genesis, extraData: "better" });
      await node.chain.import({ bytes: abandoned.encode(), source: "sync" });
      assert.equal(node.pool.counts().pending, 0);
      for (const block of better) await node.chain.import({ bytes: block.encode(), source: "sync" });
      assert.equal(node.best, toHex(better[2]!.hash));
      assert.equal(node.pool.get(transaction.hash)?.isPending, true);
      timers.pass(5);
      assert.equal(messages().length, 1);
    });
  });

  describe("that stay pending", () => {
    /** Imports blocks of a miner that does not know our transactions. */
    async function otherBlocks(maker: Maker, count: number): Promise<void> {
      let parent = node.chain.best().hash;
      for (let i = 0; i < count; i++) {
        const block: Block = await maker.mine({ parent });
        await node.chain.import({ bytes: block.encode(), source: "sync" });
        parent = block.hash;
      }
    }

    it("are repeated after two blocks and ten seconds, then at growing intervals, each time in a new message", async () => {
      const maker = await Maker.open();
      const own = signed("cow");
      node.pool.add(own, { local: true });
      node.pool.add(signed("cow1"), { local: false });
      timers.pass(5);
      await otherBlocks(maker, 1);
      node.clock.now += 10;
      assert.equal(messages().length, 1);
      await otherBlocks(maker, 1);
      assert.equal(messages().length, 2);
      await otherBlocks(maker, 4);
      assert.equal(messages().length, 2);
      node.clock.now += 10;
      await otherBlocks(maker, 1);
      assert.equal(messages().length, 3);
      assert.deepEqual(new Set(messages().flat()), new Set(hexOf(own)));
      assert.equal(new Set(messages().map((message) => message.join())).size, 3);
    });

    it("are repeated neither once mined nor while far behind", async () => {
      const maker = await Maker.open();
      const own = signed("cow");
      node.pool.add(own, { local: true });
      timers.pass(5);
      node.clock.now += 60;
      node.isFarBehind = true;
      await otherBlocks(maker, 3);
      node.isFarBehind = false;
      const block = await maker.mine({ parent: node.chain.best().hash, transactions: [own] });
      await node.chain.import({ bytes: block.encode(), source: "sync" });
      await otherBlocks(maker, 5);
      assert.equal(messages().length, 1);
    });

    it("include those from before the start", async () => {
      node.service.stop();
      const own = signed("cow");
      node.pool.add(own, { local: true });
      node.service.start();
      node.clock.now += 10;
      await otherBlocks(await Maker.open(), 2);
      assert.deepEqual(new Set(messages().flat()), new Set(hexOf(own)));
    });

    it("are sent to a peer of another branch, with those of others, in a few rounds", async () => {
      const both = [signed("cow"), signed("cow1")];
      await node.transactions([both[0]!]);
      await node.transactions([both[1]!]);
      node.net.connect("first");
      node.net.connect("same", node.chain.best().hash);
      timers.pass(999);
      assert.deepEqual(messages(), []);
      timers.pass(1);
      assert.deepEqual(new Set(messages()[0]), new Set(hexOf(...both)));
      timers.pass(60_000);
      assert.equal(messages().length, 3);
      assert.equal(new Set(messages().map((message) => message.join())).size, 3);
      node.clock.now += 60;
      node.net.connect("same too", node.chain.best().hash);
      timers.pass(60_000);
      assert.equal(messages().length, 3);
      // One round in ten seconds, regardless of the number of connecting peers.
      for (let i = 0; i < 20; i++) {
        node.net.connect(`foreign ${i}`, new Uint8Array(32).fill(i));
        timers.pass(500);
      }
      assert.equal(messages().length, 4);
    });

    it("wait until the node is no longer far behind itself", async () => {
      await node.transactions([signed("cow")]);
      node.isFarBehind = true;
      node.net.connect("foreign", new Uint8Array(32).fill(1));
      timers.pass(100_000);
      assert.deepEqual(messages(), []);
      node.isFarBehind = false;
      timers.pass(100_000);
      assert.equal(messages().length, 3);
      assert.equal(timers.pending, 0);
    });
  });

  it("end with the service, which then ignores everything", async () => {
    node.pool.add(signed("cow"), { local: true });
    node.net.connect("foreign", new Uint8Array(32).fill(1));
    node.service.stop();
    timers.pass(100_000);
    await node.mine();
    await settled();
    assert.deepEqual(node.net.published, []);
    assert.equal(timers.pending, 0);
    const { handlers } = node.net;
    assert.equal(await handlers!.transactions([signed("cow1").encoded], "peer"), "ignore");
    assert.deepEqual(await handlers!.block(Uint8Array.of(1), "peer"), { verdict: "ignore" });
    assert.deepEqual(node.net.reports, []);
  });
});
