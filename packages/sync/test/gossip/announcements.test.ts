import assert from "node:assert/strict";
import { NetworkingError } from "@cambium/networking";
import { toHex } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { settled } from "@cambium/test-utils/turning-clock";
import type { Block } from "@cambium/types";
import { Maker, TestNode, until } from "./support.js";

describe("announced blocks", () => {
  let maker: Maker;
  let line: Block[];
  const difficultyAt = (index: number) => maker.chain.totalDifficulty(line[index]!.hash)!;

  before(async () => {
    maker = await Maker.open();
    line = await maker.line(40);
  });

  it("are fetched from the sender, imported, and then relayed", async () => {
    const timers = new ManualClock();
    const node = await TestNode.open({ timers });
    node.net.answer = (hash) => maker.chain.encodedBlock(hash);
    assert.equal(await node.announce(line[0]!, difficultyAt(0)), "accept");
    assert.ok(node.has(line[0]!));
    assert.deepEqual(node.net.asked, [`peer ${toHex(line[0]!.hash)}`]);
    assert.deepEqual(node.net.eventsOf("peer"), ["VALID_BLOCK"]);
    timers.pass(1000);
    assert.deepEqual(node.net.published, []);
  });

  it("are ignored when known, implausible or impossible", async () => {
    const node = await TestNode.open();
    node.net.answer = (hash) => maker.chain.encodedBlock(hash);
    for (const block of line.slice(0, 10)) await node.chain.import({ bytes: block.encode(), source: "sync" });
    assert.equal(await node.announce(line[3]!, difficultyAt(3)), "ignore");
    const hash = new Uint8Array(32).fill(5);
    for (const [number, totalDifficulty] of [
      [2, 5n],
      [10 + 3841, 5n],
      [11, 0n],
      [11, 1n << 128n],
    ] as const) {
      assert.equal(await node.service.blockHash({ hash, number, totalDifficulty }, "peer"), "ignore");
    }
    assert.deepEqual(node.net.asked, []);
  });

  it("are fetched once, two at a time from a peer and 32 in all", async () => {
    const node = await TestNode.open();
    const answers: (() => void)[] = [];
    node.net.answer = () => new Promise((resolve) => answers.push(() => resolve(undefined)));
    const verdicts: Promise<string>[] = [];
    const announce = (i: number, peer: string) => verdicts.push(node.announce(line[i]!, 5n, peer));
    for (let i = 0; i < 3; i++) announce(i, "a");
    announce(0, "b");
    assert.equal(node.net.asked.length, 2);
    for (let i = 3; i < 40; i++) announce(i, `peer ${i}`);
    assert.equal(node.net.asked.length, 32);
    await until(() => answers.length === 32, "requests");
    for (const answer of answers) answer();
    assert.deepEqual(await Promise.all(verdicts), new Array(41).fill("ignore"));
    announce(1, "a");
    assert.equal(node.net.asked.length, 33);
  });

  it("are ignored when the sender does not have them, and the network's failures are its own", async () => {
    const node = await TestNode.open();
    assert.equal(await node.announce(line[0]!, 5n), "ignore");
    node.net.answer = () => Promise.reject(new NetworkingError({ code: "REQUEST_TIMEOUT", protocol: "blocks" }));
    assert.equal(await node.announce(line[0]!, 5n), "ignore");
    assert.deepEqual(node.net.reports, []);
  });

  it("are reported if the sender answers with another block", async () => {
    const node = await TestNode.open();
    for (const answer of [line[1]!.encode(), Uint8Array.of(1)]) {
      node.net.answer = () => answer;
      assert.equal(await node.announce(line[0]!, 5n), "ignore");
    }
    assert.deepEqual(node.net.eventsOf("peer"), ["INVALID_MESSAGE", "INVALID_MESSAGE"]);
    assert.equal(node.has(line[0]!), false);
  });

  it("are rejected if the total difficulty or height is wrong", async () => {
    const node = await TestNode.open();
    node.net.answer = (hash) => maker.chain.encodedBlock(hash);
    assert.equal(await node.announce(line[0]!, difficultyAt(0) + 1n), "reject");
    const { hash } = line[1]!;
    const claim = { hash, number: 3, totalDifficulty: difficultyAt(1) };
    assert.equal(await node.service.blockHash(claim, "other"), "reject");
    assert.deepEqual(node.net.eventsOf("other"), ["VALID_BLOCK", "INVALID_MESSAGE"]);
    assert.ok(node.has(line[1]!));
  });

  it("are validated like other blocks", async () => {
    const node = await TestNode.open();
    const wrong = await maker.make({ parent: maker.chain.genesis.hash, header: { difficulty: 4n } });
    const failing = await maker.make({ parent: maker.chain.genesis.hash, header: { paidFees: 4n } });
    const blocks = new Map([wrong, failing, line[5]!].map((block) => [toHex(block.hash), block.encode()]));
    node.net.answer = (hash) => blocks.get(toHex(hash));
    assert.equal(await node.announce(wrong, 5n, "a"), "reject");
    assert.equal(await node.announce(failing, 5n, "b"), "ignore");
    assert.equal(await node.announce(line[5]!, 5n, "c"), "ignore");
    assert.deepEqual(node.net.eventsOf("a"), ["INVALID_BLOCK"]);
    assert.deepEqual(node.net.eventsOf("b"), []);
    assert.deepEqual(node.net.eventsOf("c"), []);
    assert.equal(node.service.waitingBlocks.count, 1);
    assert.equal(node.wanted.length, 1);
    await settled();
    assert.ok(node.chain.isKnownInvalid(failing.hash));
  });
});
