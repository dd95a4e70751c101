import assert from "node:assert/strict";
import { createChainEvm } from "@cambium/chain";
import type { Evm } from "@cambium/evm";
import { toHex } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import { BlockBuilder } from "../src/index.js";
import { bench, NOW, network, REWARD, signed } from "./support.js";

/** Builds on genesis; counts the executed transactions, reward transactions excepted. */
async function counted(options: { timeBudget?: number; delay?: number } = {}) {
  const { timeBudget = 60_000, delay = 0 } = options;
  const { chain, pool } = await bench();
  const evm = createChainEvm(network);
  let count = 0;
  const counting: Evm = {
    ...evm,
    execute(run) {
      if (!run.transaction.isReward) count++;
      const end = performance.now() + delay;
      while (performance.now() < end);
      return evm.execute(run);
    },
  };
  const settings = { rewardAddress: REWARD, identity: "TEST-1", timeBudget };
  const builder = new BlockBuilder({ chain, pool, evm: counting, now: () => NOW * 1000 }, settings);
  /** Number of transactions executed by an action. */
  const executions = (action: () => void) => {
    count = 0;
    action();
    return count;
  };
  return { builder, executions };
}

const hashes = (transactions: readonly Transaction[]) => transactions.map(({ hash }) => toHex(hash)).sort();

describe("an open block", () => {
  it("executes only the transactions from the first different one on", async () => {
    const { builder, executions } = await counted();
    const [a, b, c, d] = ["cow", "cow1", "cow2", "cow3"].map((name) => signed(name)) as [
      Transaction,
      Transaction,
      Transaction,
      Transaction,
    ];
    const block = builder.open();
    const steps: [Transaction[], number][] = [
      [[a, b], 2],
      [[a, b], 0],
      [[a, b, c], 1],
      [[a, b], 0],
      [[a, b, d, c], 2],
      [[a, d, c], 2],
      [[], 0],
      [[c], 1],
    ];
    for (const [ordered, expected] of steps) {
      assert.equal(
        executions(() => block.fill(ordered)),
        expected,
      );
      const { transactions } = block.build().template;
      assert.deepEqual(hashes(transactions.slice(0, -1)), hashes(ordered));
    }
  });

  it("considers refused transactions again only if those before them change", async () => {
    const { builder, executions } = await counted();
    const first = signed("cow");
    const second = signed("cow", { nonce: 1n });
    const other = signed("cow1");
    const block = builder.open();
    block.fill([second]);
    assert.equal(block.build().template.transactions.length, 1);
    block.fill([second, other]);
    assert.equal(block.build().template.transactions.length, 2);
    const added = executions(() => block.fill([first, second, other]));
    assert.equal(added, 3);
    assert.equal(block.build().template.transactions.length, 4);
  });

  it("leaves out what exceeds the time budget, until it is filled again", async () => {
    const { builder, executions } = await counted({ timeBudget: 5, delay: 20 });
    const ordered = ["cow", "cow1", "cow2"].map((name) => signed(name));
    const block = builder.open();
    let included = 0;
    while (included < ordered.length) {
      const added = executions(() => block.fill(ordered));
      assert(added <= 1);
      included += added;
      assert.equal(block.build().template.transactions.length, included + 1);
    }
  });
});
