import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { settled } from "@cambium/test-utils/turning-clock";
import type { Block } from "@cambium/types";
import { Maker, TestNode, until } from "./support.js";

describe("blocks before their parents", () => {
  let maker: Maker;
  let line: Block[];

  before(async () => {
    maker = await Maker.open();
    line = await maker.line(60);
  });

  it("wait, and their nearest missing ancestor is requested from the sender", async () => {
    const node = await TestNode.open();
    assert.equal(await node.block(line[2]!, "a"), "ignore");
    assert.equal(await node.block(line[4]!, "b"), "ignore");
    assert.equal(await node.block(line[3]!, "c"), "ignore");
    // A second peer sends the block too, and may have the ancestor that the first peer withholds.
    assert.equal(await node.block(line[4]!, "d"), "ignore");
    assert.deepEqual(
      node.wanted.map(({ peer, hash, number }) => [peer, hash, number]),
      [
        ["a", toHex(line[1]!.hash), 2],
        ["b", toHex(line[3]!.hash), 4],
        ["c", toHex(line[1]!.hash), 2],
        ["d", toHex(line[1]!.hash), 2],
      ],
    );
    assert.equal(node.service.waitingBlocks.count, 3);
    assert.deepEqual(node.net.reports, []);
  });

  it("are connected when the ancestor arrives from any source, and the best is announced once", async () => {
    const timers = new ManualClock();
    const node = await TestNode.open({ timers });
    for (const block of line.slice(1, 40).reverse()) await node.block(block, `peer ${block.number % 4}`);
    assert.equal(node.service.waitingBlocks.count, 39);
    await node.chain.import({ bytes: line[0]!.encode(), source: "sync" });
    await until(() => node.has(line[39]!), "connection");
    await settled();
    assert.deepEqual(node.service.waitingBlocks, { count: 0, bytes: 0 });
    assert.equal(node.net.reports.filter(({ event }) => event === "VALID_BLOCK").length, 39);
    timers.pass(1000);
    const { totalDifficulty } = node.chain.best();
    assert.deepEqual(node.net.of("blockHash"), [{ hash: line[39]!.hash, number: 40, totalDifficulty }]);
    assert.deepEqual(node.net.of("block"), []);
  });

  it("are connected after a gossiped ancestor", async () => {
    const node = await TestNode.open();
    await node.block(line[1]!, "a");
    assert.equal(await node.block(line[0]!, "b"), "accept");
    await until(() => node.has(line[1]!), "connection");
    await settled();
    assert.deepEqual(node.net.eventsOf("a"), ["VALID_BLOCK"]);
    assert.deepEqual(node.net.eventsOf("b"), ["VALID_BLOCK"]);
  });

  it("are validated with their parent when it arrives", async () => {
    const node = await TestNode.open();
    const wrong = await maker.make({ parent: line[1]!.hash, header: { difficulty: 3n } });
    const child = await maker.make({
      parent: line[1]!.hash,
      header: { parentHash: wrong.hash, number: 4, difficulty: 9n },
    });
    assert.equal(await node.block(wrong, "a"), "ignore");
    assert.equal(await node.block(child, "b"), "reject");
    for (const block of line.slice(0, 2)) await node.chain.import({ bytes: block.encode(), source: "sync" });
    await until(() => node.net.eventsOf("a").length > 0, "judgement");
    assert.deepEqual(node.net.eventsOf("a"), ["INVALID_BLOCK"]);
    assert.equal(node.chain.isKnownInvalid(wrong.hash), false);
    assert.equal(node.service.waitingBlocks.count, 0);
  });

  it("of one peer use no more than its share, and are dropped when too old", async () => {
    const node = await TestNode.open();
    for (const block of line.slice(10, 50)) await node.block(block, "eager");
    assert.equal(node.service.waitingBlocks.count, 32);
    const aside = await maker.make({ parent: line[1]!.hash, header: { parentHash: new Uint8Array(32).fill(9) } });
    await node.block(aside, "b");
    assert.equal(node.service.waitingBlocks.count, 33);
    for (const block of line.slice(0, 10)) await node.chain.import({ bytes: block.encode(), source: "sync" });
    await settled();
    assert.equal(node.service.waitingBlocks.count, 33);
    for (const block of line.slice(10, 15)) await node.chain.import({ bytes: block.encode(), source: "sync" });
    await settled();
    // The orphan at height 3 is now more than seven below the best block.
    assert.equal(node.service.waitingBlocks.count, 32);
    const bytes = line.slice(18, 50).reduce((sum, block) => sum + block.encode().length, 0);
    assert.equal(node.service.waitingBlocks.bytes, bytes);
  });
});
