import assert from "node:assert/strict";
import { createChainEvm, localBlock } from "@cambium/chain";
import { TimeLimit } from "@cambium/evm";
import { fromHex, toHex } from "@cambium/primitives";
import { signTransaction, type Transaction } from "@cambium/types";
import { BlockBuilder } from "../src/index.js";
import { cheapestFirst } from "../src/templates/cheapest-first.js";
import { bench, keyOf, NOW, network, REWARD, signed, solve } from "./support.js";

/** Creation code that runs until it is out of gas. */
const LOOP = fromHex("5b5f56");
const LIMIT = 100;

/** A creation that takes long. */
function slow(name: string, gasLimit = 2_000_000n): Transaction {
  return signed(name, { to: undefined, data: LOOP, gasLimit, gasPrice: 9n });
}

interface Settings {
  /** Milliseconds for all transactions. */
  timeBudget?: number;
  /** Time at which the build is abandoned. */
  abandonedAt?: number;
}

/** A builder whose clock advances by a millisecond with each check for an interruption. */
async function limited({ timeBudget = 60_000, abandonedAt = Number.POSITIVE_INFINITY }: Settings = {}) {
  const made = await bench();
  const { chain, pool } = made;
  let time = 0;
  const isAbandoned = () => time >= abandonedAt;
  const timeLimit = new TimeLimit({
    limit: LIMIT,
    clocks: { elapsed: () => time, used: () => time },
    isAbandoned,
    onSlow: ({ hash }) => pool.evict([hash]),
  });
  const isInterrupted = () => {
    time++;
    return timeLimit.isInterrupted();
  };
  const evm = createChainEvm(network, { isInterrupted });
  const modules = { chain, pool, evm, timeLimit, isAbandoned, now: () => NOW * 1000 };
  const builder = new BlockBuilder(modules, { rewardAddress: REWARD, identity: "TEST-1", timeBudget });
  return { ...made, builder, time: () => time };
}

const hashes = (transactions: readonly Transaction[]) => transactions.map(({ hash }) => toHex(hash)).sort();

describe("a block template with a limit of the time for a transaction", () => {
  it("is built without the transactions that exceed it, which are evicted", async () => {
    const { builder, pool } = await limited();
    const bad = slow("cow");
    const good = ["cow1", "cow2"].map((name) => signed(name));
    pool.transactions = [bad, ...good];
    assert.deepEqual(hashes(builder.build().transactions.slice(0, -1)), hashes(good));
    assert.deepEqual(pool.evicted, [toHex(bad.hash)]);
    assert.deepEqual(hashes(builder.build().transactions.slice(0, -1)), hashes(good));
  });

  it("has the transactions that were requested, however long they take", async () => {
    const { builder, pool } = await limited();
    const bad = slow("cow");
    const { transactions } = builder.build({ transactions: [bad] });
    assert.deepEqual(transactions.slice(0, -1), [bad]);
    assert.deepEqual(pool.evicted, []);
  });

  it("does not concern blocks: the chain imports one with such a transaction", async () => {
    const { builder, chain, pool } = await limited();
    const bad = slow("cow");
    const result = await chain.import(localBlock(await solve(builder.build({ transactions: [bad] }))));
    assert.equal(result.kind, "imported-best");
    assert.notEqual(chain.findTransaction(bad.hash), undefined);
    assert.deepEqual(pool.evicted, []);
  });

  it("is given up in the middle of a transaction if it is no longer wanted", async () => {
    const { builder, pool, time } = await limited({ abandonedAt: 10 });
    pool.transactions = [slow("cow")];
    assert.throws(() => builder.build(), { code: "BUILD_ABANDONED" });
    assert.equal(time(), 10);
    assert.deepEqual(pool.evicted, []);
  });

  it("is filled with the cheapest ones once half of the time is over", async () => {
    const { builder, pool } = await limited({ timeBudget: 2 * LIMIT + 20 });
    const bad = [slow("cow"), slow("cow1", 2_100_000n), slow("cow2", 2_200_000n)];
    const good = [
      signed("cow3", { gasPrice: 2n, gasLimit: 30_000n }),
      signed("cow3", { nonce: 1n }),
      signed("cow4", { to: undefined, data: LOOP, gasLimit: 60_000n }),
    ];
    pool.transactions = [...bad, ...good];
    const block = builder.open();
    assert.equal(block.fill(pool.transactions), false);
    assert.deepEqual(hashes(block.build().template.transactions.slice(0, -1)), hashes(good));
    // The second one had to end before it exceeded the limit; its time counts.
    assert.deepEqual(pool.evicted, hashes(bad.slice(0, 2)));
  });

  it("leaves half of the time to others, however many attempts it needs to evict one", async () => {
    const { builder, pool } = await limited({ timeBudget: LIMIT + 10 });
    const bad = slow("cow");
    const good = signed("cow1");
    pool.transactions = [bad, good];
    assert.deepEqual(hashes(builder.build().transactions.slice(0, -1)), [toHex(good.hash)]);
    assert.deepEqual(pool.evicted, []);
    assert.deepEqual(hashes(builder.build().transactions.slice(0, -1)), [toHex(good.hash)]);
    assert.deepEqual(pool.evicted, [toHex(bad.hash)]);
  });
});

describe("the order of the cheapest transactions", () => {
  const order = (...transactions: Transaction[]) => cheapestFirst(transactions).map(({ gasLimit }) => Number(gasLimit));
  const one = (name: string, nonce: bigint, gasLimit: bigint) => signed(name, { nonce, gasLimit });

  it("is by gas limit, and stays the same where those are equal", () => {
    assert.deepEqual(
      order(one("cow", 0n, 50_000n), one("cow1", 0n, 21_000n), one("cow2", 0n, 30_000n)),
      [21_000, 30_000, 50_000],
    );
    const equal = ["cow", "cow1", "cow2"].map((name) => signed(name));
    assert.deepEqual(cheapestFirst(equal), equal);
  });

  it("keeps the order of a sender", () => {
    const all = [one("cow", 0n, 40_000n), one("cow", 1n, 21_000n), one("cow1", 0n, 30_000n), one("cow", 2n, 50_000n)];
    assert.deepEqual(order(...all), [30_000, 40_000, 21_000, 50_000]);
  });

  it("keeps a transaction without a valid signature", () => {
    const unsigned = signTransaction({ nonce: 0n, gasPrice: 1n, gasLimit: 90_000n, chainId: 1 }, keyOf("cow"));
    assert.deepEqual(order(unsigned, one("cow1", 0n, 21_000n)), [21_000, 90_000]);
  });
});
