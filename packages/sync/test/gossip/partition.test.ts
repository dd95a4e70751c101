import assert from "node:assert/strict";
import { platformClock, type Timers } from "@cambium/primitives";
import { settled } from "@cambium/test-utils/turning-clock";
import { FakeNetwork, signed, TestNode, until } from "./support.js";

/** Timers whose delays are converted by `delay`. */
function timersOf(delay: (milliseconds: number) => number): Timers {
  return {
    after: (milliseconds, action) => platformClock.after(delay(milliseconds), action),
    every: (milliseconds, action) => platformClock.every(delay(milliseconds), action),
  };
}

/** Real time, a hundred times as fast. */
const hasty = timersOf((milliseconds) => milliseconds / 100);
/** Time that never reaches a repetition. */
const short = timersOf((milliseconds) => (milliseconds < 1000 ? milliseconds / 100 : 1e4));

describe("nodes that gossip", () => {
  let nodes: TestNode[] = [];

  afterEach(() => {
    for (const { service } of nodes) service.stop();
  });

  async function line(length: number, timers = hasty): Promise<TestNode[]> {
    nodes = await Promise.all(
      Array.from({ length }, (_, i) => TestNode.open({ id: `node ${i}`, timers, syncs: true })),
    );
    for (let i = 1; i < length; i++) FakeNetwork.link(nodes[i - 1]!.net, nodes[i]!.net);
    return nodes;
  }

  const agree = (some = nodes) => some.every(({ best }) => best === some[0]!.best);
  const verdicts = () => nodes.flatMap(({ net }) => net.verdicts);
  const bad = () => nodes.flatMap(({ net }) => net.reports).filter(({ event }) => event.startsWith("INVALID"));

  it("relay blocks and transactions along a line, each message once", async () => {
    const [first, , , , last] = await line(5, short);
    for (let i = 0; i < 20; i++) {
      first!.pool.add(signed("cow", { nonce: BigInt(i) }), { local: true });
      last!.pool.add(signed("cow1", { nonce: BigInt(i) }), { local: true });
      await until(() => nodes.every(({ pool }) => pool.counts().pending === 2), "transactions everywhere");
      await (i % 2 === 0 ? first! : last!).mine();
      await until(() => agree(), "one best block");
      assert.ok(nodes.every(({ pool }) => pool.counts().pending === 0));
    }
    await settled();
    assert.deepEqual(new Set(verdicts()), new Set(["accept"]));
    assert.equal(nodes.flatMap(({ net }) => net.of("block")).length, 20);
    assert.equal(nodes.flatMap(({ net }) => net.of("transactions")).length, 40);
    assert.equal(nodes.flatMap(({ net }) => net.of("blockHash")).length, 0);
    assert.deepEqual(bad(), []);
  });

  it("agree after a partition, including on transactions that only one side knew", async () => {
    const [a, b, c, d] = await line(4);
    await a!.mine();
    await until(() => agree(), "one best block");
    FakeNetwork.cut(b!.net, c!.net);
    const [fromA, fromD] = [signed("cow"), signed("cow1")];
    a!.pool.add(fromA, { local: true });
    d!.pool.add(fromD, { local: true });
    await until(() => b!.pool.counts().pending === 1 && c!.pool.counts().pending === 1, "transactions in the halves");
    const lonely = signed("cow2");
    for (let i = 0; i < 5; i++) await a!.mine();
    assert.equal(a!.chain.findTransaction(fromA.hash)?.header.number, 2);
    a!.pool.add(lonely, { local: true });
    const empty = { ordered: () => [], evict: () => undefined };
    const { ordered } = d!.pool;
    d!.pool.ordered = empty.ordered;
    for (let i = 0; i < 7; i++) await d!.mine();
    d!.pool.ordered = ordered;
    await until(() => agree([a!, b!]) && agree([c!, d!]), "agreement in the halves");
    FakeNetwork.link(b!.net, c!.net);
    await until(() => agree(), "agreement of all");
    assert.equal(a!.best, d!.best);
    await until(
      () => nodes.every(({ pool }) => [fromA, fromD, lonely].every(({ hash }) => pool.get(hash)?.isPending)),
      "all transactions everywhere",
    );
    const block = await a!.mine();
    await until(() => agree(), "agreement on the block");
    assert.equal(block.transactions.length, 4);
    assert.deepEqual(bad(), []);
  });

  it("receive a transaction that was submitted while its node had no peers", async () => {
    const alone = await TestNode.open({ id: "alone", timers: hasty, syncs: true });
    const other = await TestNode.open({ id: "other", timers: hasty, syncs: true });
    nodes = [alone, other];
    alone.pool.add(signed("cow"), { local: true });
    await settled();
    FakeNetwork.link(alone.net, other.net);
    await until(() => other.pool.counts().pending === 1, "the transaction");
  });
});
