import assert from "node:assert/strict";
import { encodeRlp } from "@cambium/primitives";
import { settled } from "@cambium/test-utils/turning-clock";
import { Transaction } from "@cambium/types";
import { network, signed, TestNode } from "./support.js";

/** A copy with other bytes in some fields. */
function changed(transaction: Transaction, own: Partial<ConstructorParameters<typeof Transaction>[0]>): Transaction {
  const { nonceBytes, gasPriceOrNull, gasLimitBytes, to, value, data, signature } = transaction;
  const plain = { nonce: nonceBytes, gasPrice: gasPriceOrNull, gasLimit: gasLimitBytes, to, value, data, signature };
  return new Transaction({ ...plain, unsignedChainId: 0, isReward: false, ...own });
}

const HALF_N = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

function bytesOf(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16), "hex"));
}

describe("transactions from gossip", () => {
  it("are admitted and relayed", async () => {
    const node = await TestNode.open();
    assert.equal(await node.transactions([signed("cow")]), "accept");
    assert.equal(node.pool.counts().pending, 1);
    assert.deepEqual(node.net.eventsOf("peer"), ["VALID_TRANSACTION"]);
    assert.equal(node.pool.get(signed("cow").hash)?.isLocal, false);
    await settled();
    assert.deepEqual(node.net.published, []);
  });

  it("are relayed while they are queued", async () => {
    const node = await TestNode.open();
    assert.equal(await node.transactions([signed("cow", { nonce: 2n })]), "accept");
    assert.deepEqual(node.pool.counts().queued, 1);
  });

  it("are ignored when already in the pool", async () => {
    const node = await TestNode.open();
    await node.transactions([signed("cow")]);
    assert.equal(await node.transactions([signed("cow")], "other"), "ignore");
    assert.equal(await node.transactions([signed("cow1"), signed("cow1")], "other"), "accept");
    assert.deepEqual(node.net.eventsOf("other"), ["VALID_TRANSACTION"]);
  });

  it("are ignored when the state of the sender forbids them", async () => {
    const node = await TestNode.open();
    const refused = [
      signed("unfunded"),
      signed("cow", { nonce: 99n }),
      signed("cow", { gasLimit: 20_000n }),
      signed("cow", { value: 1n << 200n }),
      signed("cow", { gasLimit: 1n << 40n }),
      signed("cow", { gasPrice: 1n << 120n }),
    ];
    for (const transaction of refused) assert.equal(await node.transactions([transaction]), "ignore");
    await node.transactions([signed("cow", { gasPrice: 100n })]);
    assert.equal(await node.transactions([signed("cow", { gasPrice: 101n })]), "ignore");
    assert.deepEqual(node.net.eventsOf("peer"), ["VALID_TRANSACTION"]);
  });

  it("are rejected when every node must refuse them", async () => {
    const node = await TestNode.open();
    const good = signed("cow");
    const signature = good.signature!;
    const bad: (Transaction | Uint8Array)[] = [
      new Uint8Array(0),
      Uint8Array.of(0xc0),
      encodeRlp([Uint8Array.of(1)]),
      signed("cow", { data: new Uint8Array(131_072) }),
      changed(good, { nonce: new Uint8Array(9).fill(1) }),
      changed(good, { nonce: Uint8Array.of(0, 1) }),
      changed(good, { signature: null }),
      changed(good, { signature: { ...signature, s: bytesOf(HALF_N + 1n) } }),
      changed(good, { signature: { ...signature, r: new Uint8Array(33).fill(1) } }),
      signed("cow", { chainId: 30 }),
      // No point on the curve has the x-coordinate 5.
      changed(good, { signature: { ...signature, r: Uint8Array.of(5) } }),
    ];
    for (const [i, transaction] of bad.entries()) {
      assert.equal(await node.transactions([transaction], `peer ${i}`), "reject", `case ${i}`);
      assert.deepEqual(node.net.eventsOf(`peer ${i}`), ["INVALID_TRANSACTION"], `case ${i}`);
    }
    assert.equal(await node.transactions([signed("cow", { chainId: network.chainId })]), "accept");
    assert.equal(await node.transactions([signed("cow1", { chainId: 0 })]), "accept");
  });

  it("of the largest size are accepted", async () => {
    const node = await TestNode.open();
    const overhead = signed("cow", { data: new Uint8Array(130_000), gasLimit: 2_000_000n }).size - 130_000;
    const exact = signed("cow", { data: new Uint8Array(131_072 - overhead), gasLimit: 2_000_000n });
    assert.equal(exact.size, 131_072);
    assert.equal(await node.transactions([exact]), "accept");
    const over = signed("cow1", { data: new Uint8Array(131_073 - overhead), gasLimit: 2_000_000n });
    assert.equal(await node.transactions([over]), "reject");
  });

  it("of a message with an invalid one are not added, but can still arrive in other messages", async () => {
    const node = await TestNode.open();
    const bad = signed("cow1", { chainId: 30 });
    assert.equal(await node.transactions([signed("cow"), bad], "bad"), "reject");
    assert.equal(node.pool.counts().pending, 0);
    assert.equal(await node.transactions([signed("unfunded"), signed("cow")], "good"), "accept");
    assert.deepEqual(node.net.eventsOf("bad"), ["INVALID_TRANSACTION"]);
    assert.deepEqual(node.net.eventsOf("good"), ["VALID_TRANSACTION"]);
  });

  it("are reported one by one", async () => {
    const node = await TestNode.open();
    for (let i = 0; i < 25; i++) await node.transactions([signed("cow", { chainId: 30 })]);
    assert.deepEqual(node.net.eventsOf("peer"), new Array(25).fill("INVALID_TRANSACTION"));
  });

  it("in a flood are limited, and do not block the event loop", async () => {
    const node = await TestNode.open();
    const good = Array.from({ length: 64 }, (_, i) => signed(`unfunded ${i}`));
    const others = Array.from({ length: 64 }, (_, i) => signed(`stranger ${i}`));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const flood: Promise<string>[] = [];
    for (let i = 0; i < 80; i++) flood.push(node.transactions(i % 2 === 0 ? good : others, `peer ${i % 3}`));
    const verdicts = await Promise.all(flood);
    isOver = true;
    assert.deepEqual(new Set(verdicts), new Set(["ignore"]));
    assert.ok(turns >= 8, `${turns} turns`);
  });

  it("in the queue are limited in total and for each peer", async () => {
    const node = await TestNode.open();
    const message = Array.from({ length: 64 }, () => signed("unfunded").encoded);
    const intake = Reflect.get(node.service, "pooled");
    const verdicts: Promise<string>[] = [];
    for (let i = 0; i < 30; i++) verdicts.push(intake.take(message, "peer"));
    assert.equal(intake.size, 1024);
    for (let i = 0; i < 100; i++) verdicts.push(intake.take(message, `peer ${i % 5}`));
    assert.equal(intake.size, 4096);
    assert.deepEqual(await Promise.all(verdicts), new Array(130).fill("ignore"));
    assert.equal(intake.size, 0);
  });
});
