import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, NETWORKS, type NetworkConfig, REWARD_ADDRESS } from "@cambium/config";
import { type Evm, type TransactionOutcome, TransactionRejected, type TransactionRun } from "@cambium/evm";
import { numberToBytes, toHex } from "@cambium/primitives";
import { JournaledState, openState } from "@cambium/state";

import { Block, bloomContains, rewardTransaction, type Transaction } from "@cambium/types";
import { executeBlock } from "../../src/index.js";
import { branchOf, codeOf, faultOf, header, signed } from "../support.js";

const { local, main } = NETWORKS;
const fees = (state: JournaledState) => state.getBalance(REWARD_ADDRESS);

/** Effect of one scripted transaction, besides using 21000 gas at price 1. */
type Script = (run: TransactionRun) => Partial<TransactionOutcome> | undefined;

const GAS = 21_000;

/**
 * Returns an EVM that executes the scripts, by transaction. All other transactions, including the reward transaction,
 * do nothing.
 */
function scripted(scripts: Map<Transaction, Script>, runs: TransactionRun[] = []): Evm {
  return {
    execute: (run) => {
      runs.push({ ...run, deletedInList: new Set(run.deletedInList) });
      const gasUsed = run.transaction.isReward ? 0 : GAS;
      const plain: TransactionOutcome = {
        status: 1,
        gasUsed,
        fee: BigInt(gasUsed),
        refund: 0,
        logs: [],
        output: null,
        reverted: false,
        deleted: [],
        calledContracts: new Set(),
      };
      return { ...plain, ...scripts.get(run.transaction)?.(run) };
    },
    call: () => assert.fail("not called"),
    simulate: () => assert.fail("not called"),
  };
}

const NAMES = ["a", "b", "c", "d"];

/** Executes a block of one transaction for each script, and the reward transaction. */
function run(scripts: Script[], edges: number[] | null, network: NetworkConfig = local, number = 5) {
  const transactions = scripts.map((_, i) => signed(NAMES[i]!));
  const own = { number, executionEdges: edges, gasLimit: numberToBytes(10_000_000) };
  const block = new Block(header(own, network), [...transactions, rewardTransaction(number)], []);
  const state = new JournaledState(openState());
  const runs: TransactionRun[] = [];
  const evm = scripted(new Map(transactions.map((transaction, i) => [transaction, scripts[i]!])), runs);
  return { state, runs, execute: () => executeBlock({ block, state, evm, network, ancestors: branchOf([]) }) };
}

const nothing: Script = () => undefined;
const touch =
  (...cells: [number, "read" | "write"][]): Script =>
  ({ state }) => {
    for (const [cell, how] of cells) {
      const address = new Uint8Array(20).fill(cell);
      if (how === "read") state.getBalance(address);
      else state.setNonce(address, 1n);
    }
    return undefined;
  };

describe("sequential execution", () => {
  it("accumulates gas over the block and credits fees with each transaction", () => {
    const { execute, runs, state } = run([nothing, nothing], null, main, 5_000_000);
    const result = execute();
    assert.deepEqual(
      runs.map(({ index, gasUsedBefore, listGasLimit, creditFee }) => [index, gasUsedBefore, listGasLimit, creditFee]),
      [
        [0, 0n, 10_000_000n, true],
        [1, 21_000n, 10_000_000n, true],
        [2, 42_000n, 10_000_000n, true],
      ],
    );
    assert.deepEqual(
      result.receipts.map(({ cumulativeGas }) => cumulativeGas),
      [21_000, 42_000, 42_000],
    );
    assert.equal(result.gasUsed, 42_000);
    assert.equal(result.paidFees, 42_000n);
    // The scripted EVM credits nothing, and neither must the executor.
    assert.equal(fees(state), 0n);
  });

  it("passes deletions to later transactions", () => {
    const { execute, runs } = run([() => ({ deleted: ["aa"] }), () => ({ deleted: ["bb"] })], null, main, 5_000_000);
    execute();
    assert.deepEqual(
      runs.map(({ deletedInList }) => [...deletedInList]),
      [[], ["aa"], ["aa", "bb"]],
    );
  });

  it("unites the blooms of the logs", () => {
    const topic = new Uint8Array(32).fill(3);
    const log = { address: new Uint8Array(20).fill(4), topics: [topic], data: new Uint8Array(0) };
    const { logsBloom, receipts } = run([() => ({ logs: [log] }), nothing], null, main, 5_000_000).execute();
    assert.ok(bloomContains(logsBloom, topic) && bloomContains(receipts[0]!.logsBloom, log.address));
    assert.ok(!bloomContains(receipts[1]!.logsBloom, topic));
  });

  it("reports why a transaction cannot be executed", () => {
    const reject: Script = () => {
      throw new TransactionRejected({ code: "NONCE", reason: "5" });
    };
    const { execute } = run([nothing, reject], null, main, 5_000_000);
    assert.deepEqual(faultOf(execute), { code: "EXECUTION", index: 1, reason: "NONCE" });
  });

  it("reads the gas limit by its length (spec/02 §10, Q6)", () => {
    const seen = (gasLimit: Uint8Array) => {
      const block = new Block(header({ number: 5_000_000, gasLimit }, main), [rewardTransaction(5_000_000)], []);
      const runs: TransactionRun[] = [];
      const state = new JournaledState(openState());
      const evm = scripted(new Map(), runs);
      executeBlock({ block, state, evm, network: main, ancestors: branchOf([]) });
      return runs[0]!;
    };
    const limitSeen = (gasLimit: Uint8Array) => seen(gasLimit).listGasLimit;
    assert.equal(limitSeen(Uint8Array.of(0, 0, 0x67, 0xc2, 0x80)), 6_800_000n);
    assert.equal(limitSeen(Uint8Array.of(0, 0, 0, 0, 0, 0, 0x67, 0xc2, 0x80)), 2n ** 63n - 1n);
    assert.equal(
      codeOf(() => void limitSeen(new Uint8Array(8).fill(0xff))),
      "GAS_LIMIT_RANGE",
    );
    assert.equal(seen(new Uint8Array(32).fill(1)).block.hasLongGasLimit, false);
    assert.equal(seen(new Uint8Array(33).fill(1)).block.hasLongGasLimit, true);
  });
});

describe("execution in lists", () => {
  it("restarts gas and deletions in each list, and unites deletions for the last", () => {
    const deleting =
      (address: string): Script =>
      () => ({ deleted: [address] });
    const { execute, runs } = run([deleting("aa"), deleting("bb"), deleting("cc"), nothing], [2, 3]);
    const result = execute();
    assert.deepEqual(
      runs.map(({ gasUsedBefore, listGasLimit, deletedInList }) => [gasUsedBefore, listGasLimit, [...deletedInList]]),
      [
        [0n, 1_600_000n, []],
        [21_000n, 1_600_000n, ["aa"]],
        [0n, 1_600_000n, []],
        [0n, 6_800_000n, ["aa", "bb", "cc"]],
        [21_000n, 6_800_000n, ["aa", "bb", "cc"]],
      ],
    );
    assert.deepEqual(
      result.receipts.map(({ cumulativeGas }) => cumulativeGas),
      [21_000, 42_000, 21_000, 21_000, 21_000],
    );
    assert.equal(result.gasUsed, 84_000);
    assert.equal(result.paidFees, 84_000n);
  });

  it("credits all fees right before the reward transaction", () => {
    const seen: bigint[] = [];
    const watch: Script = ({ state, creditFee }) => {
      assert.equal(creditFee, false);
      seen.push(state.getBalance(REWARD_ADDRESS));
      return undefined;
    };
    const { execute, state } = run([nothing, watch, watch], [1]);
    execute();
    assert.deepEqual(seen, [0n, 0n]);
    assert.equal(fees(state), 63_000n);
  });

  it("credits them after the last transaction if there is no reward transaction", () => {
    const own = { number: 5, executionEdges: [1], gasLimit: numberToBytes(10_000_000) };
    const block = new Block(header(own), [signed("a"), signed("b")], []);
    const state = new JournaledState(openState());
    executeBlock({ block, state, evm: scripted(new Map()), network: local, ancestors: branchOf([]) });
    assert.equal(fees(state), 42_000n);
  });

  it("creates no account if there are no fees", () => {
    const { execute, state } = run([], []);
    execute();
    assert.equal(state.exists(REWARD_ADDRESS), false);
  });

  it("rejects lists that share a written key", () => {
    const code = (first: Script, second: Script) => codeOf(run([first, second, nothing], [1, 2]).execute);
    assert.equal(code(touch([1, "write"]), touch([1, "write"])), "EXECUTION_COLLISION");
    assert.equal(code(touch([1, "write"]), touch([1, "read"])), "EXECUTION_COLLISION");
    assert.equal(code(touch([1, "read"]), touch([1, "write"])), "EXECUTION_COLLISION");
    assert.equal(code(touch([1, "read"], [2, "write"]), touch([1, "read"], [3, "write"])), undefined);
  });

  it("counts keys of reverted changes too", () => {
    const reverted: Script = (context) => {
      const start = context.state.checkpoint();
      touch([1, "write"])(context);
      context.state.revertTo(start);
      return undefined;
    };
    assert.equal(codeOf(run([reverted, touch([1, "read"]), nothing], [1, 2]).execute), "EXECUTION_COLLISION");
  });

  it("compares neither a single parallel list nor the sequential one", () => {
    assert.equal(codeOf(run([touch([1, "write"]), touch([1, "write"])], [1]).execute), undefined);
    const scripts = [touch([1, "write"]), touch([2, "write"]), touch([1, "write"], [2, "write"])];
    assert.equal(codeOf(run(scripts, [1, 2]).execute), undefined);
  });

  it("lets only the sequential list call bridge and reward contract", () => {
    const calling: Script = () => ({ calledContracts: new Set([toHex(BRIDGE_ADDRESS)]) });
    assert.equal(codeOf(run([nothing, calling], [1]).execute), undefined);
    assert.deepEqual(faultOf(run([calling, nothing], [1]).execute), {
      code: "EXECUTION_SEQUENTIAL_ONLY",
      index: 0,
      contract: BRIDGE_ADDRESS,
    });
    const free = { ...local, sequentialOnlyContracts: [REWARD_ADDRESS] };
    assert.equal(codeOf(run([calling, nothing], [1], free).execute), undefined);
  });
});

describe("native contracts at their activation", () => {
  it("exist before the first transaction", () => {
    const network = { ...local, ruleHeights: { ...local.ruleHeights, rskip126: 5, rskip106: 5 } };
    const seen: boolean[] = [];
    const look: Script = ({ state }) => {
      seen.push(state.isContract(BRIDGE_ADDRESS));
      return undefined;
    };
    const { execute, state } = run([look], [], network);
    state.addBalance(BRIDGE_ADDRESS, 9n);
    execute();
    assert.deepEqual(seen, [true]);
    assert.equal(state.getBalance(BRIDGE_ADDRESS), 9n);
  });

  it("lose a balance received before (spec/02 §10, Q11)", () => {
    const address = new Uint8Array(20);
    address.set([0x01, 0, 0, 0x09], 16);
    const { execute, state } = run([], [], { ...local, ruleHeights: { ...local.ruleHeights, rskip106: 5 } });
    state.addBalance(address, 9n);
    execute();
    assert.equal(state.getBalance(address), 0n);
    assert.equal(state.isContract(address), true);
  });
});
