import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { fromHex, publicKeyToAddress, secp256k1, toHex } from "@cambium/primitives";
import { JournaledState, type NativeContract, openState } from "@cambium/state";
import { signTransaction, type Transaction } from "@cambium/types";
import { createEvm, precompiles, TimeLimit, type TransactionOutcome } from "../src/index.js";
import type { TimeLimitOptions } from "../src/time-limit.js";
import { BLOCK } from "./bare-frame.js";

const KEY = new Uint8Array(32).fill(0x11);
const SENDER = publicKeyToAddress(secp256k1.publicKey(KEY));
const LOOP = fromHex("5b5f56");
const SLOW_CONTRACT = fromHex("ee".repeat(20));
/** Calls the slow contract for ever. */
const CALLS = fromHex(`5b5f5f5f5f5f73${toHex(SLOW_CONTRACT)}5af1505f56`);
const GAS_LIMIT = 5_000_000n;
const LEFT = 10_000;

/** An EVM whose clocks advance with each check for an interruption, and in each call of the slow contract. */
class World {
  time = 0;
  processorTime = 0;
  /** Share of the time in which the thread has a processor. */
  share = 1;
  readonly slow: Transaction[] = [];
  readonly executions: (Transaction | undefined)[] = [];
  readonly limit: TimeLimit;
  readonly state: JournaledState;
  private readonly evm;

  constructor(
    { perCheck = 0, perCall = 0 }: { perCheck?: number; perCall?: number },
    own: Partial<TimeLimitOptions> = {},
  ) {
    this.limit = new TimeLimit({
      limit: 100,
      clocks: { elapsed: () => this.time, used: () => this.processorTime },
      onSlow: (transaction) => this.slow.push(transaction),
      onExecution: (transaction) => this.executions.push(transaction),
      ...own,
    });
    const contract: NativeContract = {
      name: "Slow",
      address: SLOW_CONTRACT,
      isActive: () => true,
      gas: () => 100,
      execute: () => {
        this.pass(perCall);
        return new Uint8Array(0);
      },
    };
    const isInterrupted = () => {
      const ends = this.limit.isInterrupted();
      this.pass(perCheck);
      return ends;
    };
    this.evm = createEvm({ network: NETWORKS.local, contracts: [...precompiles, contract], isInterrupted });
    this.state = new JournaledState(openState());
    this.state.createAccount(SENDER);
    this.state.addBalance(SENDER, 10n ** 18n);
  }

  run(transaction: Transaction, left = LEFT) {
    return this.limit.run(transaction, left, () => this.execute(transaction));
  }

  execute(transaction: Transaction): TransactionOutcome {
    const run = { transaction, index: 0, block: BLOCK, state: this.state, gasUsedBefore: 0n, creditFee: false };
    return this.evm.execute({ ...run, listGasLimit: 2n ** 62n, deletedInList: new Set() });
  }

  private pass(milliseconds: number): void {
    this.time += milliseconds;
    this.processorTime += milliseconds * this.share;
  }
}

function creation(code: Uint8Array): Transaction {
  return signTransaction({ nonce: 0n, gasPrice: 1n, gasLimit: GAS_LIMIT, data: code }, KEY);
}

describe("a limit of the time for a transaction", () => {
  it("leaves one that ends in time alone", () => {
    const world = new World({ perCheck: 0.1 });
    const result = world.run(creation(LOOP));
    assert.equal(typeof result === "string" ? result : result.gasUsed, Number(GAS_LIMIT));
    assert.deepEqual(world.slow, []);
  });

  it("ends one that takes longer, and leaves state and machine usable", () => {
    const world = new World({ perCheck: 1 });
    const before = world.state.commit().root;
    const transaction = creation(LOOP);
    assert.equal(world.run(transaction), "slow");
    assert.equal(world.time, 101);
    assert.deepEqual(world.slow, [transaction]);
    assert.deepEqual(world.executions, [transaction, undefined]);
    assert.deepEqual(world.state.commit().root, before);
    const transfer = signTransaction({ nonce: 0n, gasPrice: 1n, gasLimit: 21_000n, to: SENDER, value: 1n }, KEY);
    assert.equal((world.run(transfer) as TransactionOutcome).gasUsed, 21_000);
  });

  it("ends one between two calls of native contracts", () => {
    const world = new World({ perCall: 40 });
    assert.equal(world.run(creation(CALLS)), "slow");
    assert.equal(world.time, 120);
  });

  it("finds one slow that ends by itself, or is rejected in the end", () => {
    const world = new World({ perCall: 150 });
    const call = (nonce: bigint) =>
      signTransaction({ nonce, gasPrice: 1n, gasLimit: GAS_LIMIT, to: SLOW_CONTRACT }, KEY);
    assert.equal(world.run(call(0n)), "slow");
    // The caller of `run` would revert this change.
    assert.equal(world.state.getNonce(SENDER), 1n);
    const twice = () => {
      world.execute(call(1n));
      return world.execute(call(1n));
    };
    assert.equal(world.limit.run(call(1n), LEFT, twice), "slow");
    assert.throws(() => world.run(call(1n)), { code: "NONCE" });
  });

  it("counts only the time in which the thread has a processor", () => {
    const world = new World({ perCheck: 2 });
    world.share = 0.25;
    assert.equal(world.run(creation(LOOP)), "slow");
    assert.ok(world.time >= 400, String(world.time));
  });

  it("ends one when the time for all of them is over, which is then not slow", () => {
    const world = new World({ perCheck: 1 });
    assert.equal(world.run(creation(LOOP), 50), "late");
    assert.equal(world.time, 51);
    world.share = 0;
    assert.equal(world.run(creation(LOOP), 150), "late");
    assert.equal(world.time, 51 + 151);
    assert.deepEqual(world.slow, []);
  });

  it("counts what a transaction took in earlier attempts that it did not end", () => {
    const world = new World({ perCheck: 1 });
    const transaction = creation(LOOP);
    assert.equal(world.run(transaction, 60), "late");
    assert.equal(world.run(transaction), "slow");
    assert.equal(world.time, 61 + 40);
    assert.deepEqual(world.slow, [transaction]);
    assert.equal(world.run(transaction, 60), "late");
    assert.equal(
      world.limit.run(transaction, LEFT, () => "done"),
      "done",
    );
    assert.equal(world.run(transaction, 60), "late");
    assert.deepEqual(world.slow, [transaction]);
  });

  it("ends one that is no longer wanted", () => {
    let isAbandoned = false;
    const world = new World({ perCheck: 1 }, { isAbandoned: () => isAbandoned });
    const transaction = creation(LOOP);
    const result = world.limit.run(transaction, LEFT, () => {
      isAbandoned = true;
      return world.execute(transaction);
    });
    assert.equal(result, "abandoned");
    assert.equal(world.time, 1);
    // Blocks are executed without a time limit, even if their result is no longer needed.
    assert.equal(world.execute(transaction).gasUsed, Number(GAS_LIMIT));
  });
});
