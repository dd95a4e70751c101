import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, NETWORKS, type NetworkConfig, REWARD_ADDRESS } from "@cambium/config";
import { fromHex, publicKeyToAddress, secp256k1, toHex } from "@cambium/primitives";
import { type ExecutingBlock, JournaledState, type NativeContract, openState, TextlessFailure } from "@cambium/state";

import { rewardTransaction, signTransaction, type Transaction } from "@cambium/types";
import {
  createEvm,
  ExecutionInterrupted,
  precompiles,
  type TransactionOutcome,
  TransactionRejected,
} from "../src/index.js";
import { BLOCK } from "./bare-frame.js";

const KEY = new Uint8Array(32).fill(0x11);
const SENDER = publicKeyToAddress(secp256k1.publicKey(KEY));
const TARGET = fromHex("bb".repeat(20));
const BALANCE = 10n ** 18n;
const PRE_126: ExecutingBlock = { ...BLOCK, number: 100_000 };

function stateWith(code?: string): JournaledState {
  const state = new JournaledState(openState());
  state.createAccount(SENDER);
  state.addBalance(SENDER, BALANCE);
  if (code !== undefined) {
    state.createAccount(TARGET);
    state.markContract(TARGET);
    state.setCode(TARGET, fromHex(code));
  }
  return state;
}

interface Sent {
  to?: Uint8Array;
  data?: string;
  value?: bigint;
  nonce?: bigint;
  gasLimit?: bigint;
  gasPrice?: bigint;
}

function send(sent: Sent): Transaction {
  const { nonce = 0n, gasLimit = 100_000n, gasPrice = 1n, to, value } = sent;
  return signTransaction({ nonce, gasLimit, gasPrice, to, value, data: fromHex(sent.data ?? "") }, KEY);
}

interface Where {
  block?: ExecutingBlock;
  network?: NetworkConfig;
  creditFee?: boolean;
  contracts?: readonly NativeContract[];
  listGasLimit?: bigint;
}

function execute(state: JournaledState, transaction: Transaction, where: Where = {}): TransactionOutcome {
  const { block = BLOCK, network = NETWORKS.local, contracts = precompiles } = where;
  return createEvm({ network, contracts }).execute({
    transaction,
    index: 0,
    block,
    state,
    gasUsedBefore: 0n,
    listGasLimit: where.listGasLimit ?? block.gasLimit,
    deletedInList: new Set(),
    creditFee: where.creditFee ?? false,
  });
}

function rejection(code: string) {
  return (error: unknown): boolean => error instanceof TransactionRejected && error.code === code;
}

describe("transactions of spec/04 §11.2", () => {
  it("creates the recipient of a transfer of value 0", () => {
    const state = stateWith();
    assert.equal(execute(state, send({ to: TARGET })).gasUsed, 21000);
    assert.equal(state.exists(TARGET), true);
    assert.equal(state.isContract(TARGET), false);
  });

  it("creates a contract with nonce 0 and a marker, without code", () => {
    const state = stateWith();
    const outcome = execute(state, send({ data: "6000600055" }));
    assert.equal(outcome.gasUsed, 58064);
    const created = outcome.created!;
    assert.equal(state.getNonce(created), 0n);
    assert.equal(state.isContract(created), true);
    assert.equal(state.getCodeSize(created), 0);
  });

  it("prices call data by RSKIP-400", () => {
    const data = "00ff00ff";
    assert.equal(execute(stateWith(""), send({ to: TARGET, data })).gasUsed, 21040);
    const main = { network: NETWORKS.main, block: PRE_126 };
    assert.equal(execute(stateWith(""), send({ to: TARGET, data }), main).gasUsed, 21144);
  });

  it("refunds at most half", () => {
    const state = stateWith("6000600055");
    state.setStorage(TARGET, 0n, 1n);
    const cleared = execute(state, send({ to: TARGET }));
    assert.deepEqual([cleared.gasUsed, cleared.refund], [13003, 13003]);
    const destroying = stateWith("30ff");
    const destroyed = execute(destroying, send({ to: TARGET }));
    assert.equal(destroyed.gasUsed, 13001);
    assert.deepEqual(destroyed.deleted, [toHex(TARGET)]);
    assert.equal(destroying.exists(TARGET), false);
  });

  it("charges a revert for what it used and an exception for everything", () => {
    const reverted = execute(stateWith("60006000fd"), send({ to: TARGET }));
    assert.deepEqual([reverted.status, reverted.gasUsed, reverted.reverted], [0, 21006, true]);
    const state = stateWith("fe");
    const failed = execute(state, send({ to: TARGET, value: 5n }));
    assert.deepEqual([failed.status, failed.gasUsed, failed.exception?.kind], [0, 100_000, "invalid-opcode"]);
    assert.equal(state.getBalance(SENDER), BALANCE - 100_000n);
    assert.equal(state.getBalance(TARGET), 0n);
    assert.equal(state.getNonce(SENDER), 1n);
  });

  it("calls a native contract directly", () => {
    const to = fromHex(`${"00".repeat(19)}04`);
    const outcome = execute(stateWith(), send({ to, data: "112233" }));
    assert.equal(outcome.gasUsed, 21066);
    assert.deepEqual(outcome.output, fromHex("112233"));
    assert.deepEqual([...outcome.calledContracts], [toHex(to)]);
  });
});

describe("fees", () => {
  it("credits the reward contract with each transaction if requested, even with 0", () => {
    const paid = stateWith();
    execute(paid, send({ to: TARGET, gasPrice: 7n }), { creditFee: true });
    assert.equal(paid.getBalance(REWARD_ADDRESS), 147_000n);
    const unpaid = stateWith();
    execute(unpaid, send({ to: TARGET, gasPrice: 0n }), { creditFee: true });
    assert.equal(unpaid.exists(REWARD_ADDRESS), true);
    const later = stateWith();
    execute(later, send({ to: TARGET }));
    assert.equal(later.exists(REWARD_ADDRESS), false);
  });

  it("charges the whole limit for a native contract that throws, and reports success", () => {
    const failing: NativeContract = {
      address: TARGET,
      name: "failing",
      isActive: () => true,
      gas: () => 10,
      execute(_, { state, log }) {
        state.setStorage(TARGET, 1n, 1n);
        log({ address: TARGET, topics: [], data: new Uint8Array(0) });
        throw new TextlessFailure({ code: "TEXTLESS_FAILURE", contract: "failing", reason: "no" });
      },
    };
    const state = stateWith();
    const outcome = execute(state, send({ to: TARGET, value: 3n }), { contracts: [failing] });
    assert.deepEqual([outcome.status, outcome.gasUsed, outcome.fee, outcome.logs.length], [1, 21010, 100_000n, 1]);
    assert.equal(state.getBalance(SENDER), BALANCE - 100_000n);
    assert.equal(state.getStorage(TARGET, 1n), 1n);
  });

  it("frees bridge transactions of federators while the rule is active", () => {
    const { bridge } = NETWORKS.local;
    const authorizers = { ...bridge.authorizers, feePerKb: [SENDER] };
    const network = { ...NETWORKS.local, bridge: { ...bridge, authorizers } };
    const contract: NativeContract = {
      address: BRIDGE_ADDRESS,
      name: "bridge",
      isActive: () => true,
      gas: () => 0,
      execute: () => new Uint8Array(0),
    };
    const state = new JournaledState(openState());
    const transaction = send({ to: BRIDGE_ADDRESS, gasPrice: 10n });
    const outcome = execute(state, transaction, { network, contracts: [contract] });
    assert.deepEqual([outcome.gasUsed, outcome.fee], [0, 0n]);
    assert.equal(state.getBalance(SENDER), 0n);
    const paying = { ...network, upgrades: { ...network.upgrades, afterBridgeSync: 0 } };
    assert.throws(
      () => execute(new JournaledState(openState()), transaction, { network: paying }),
      rejection("BALANCE"),
    );
  });

  it("runs the reward transaction for free, from its own account", () => {
    const contract: NativeContract = {
      address: REWARD_ADDRESS,
      name: "reward",
      isActive: () => true,
      gas: () => 0,
      execute: (data, { transaction }) => {
        assert.equal(data, null);
        assert.equal(transaction.isReward, true);
        return null;
      },
    };
    const state = stateWith();
    const outcome = execute(state, rewardTransaction(1), { contracts: [contract] });
    assert.deepEqual([outcome.status, outcome.gasUsed, outcome.output], [1, 0, null]);
    assert.equal(state.getNonce(Uint8Array.of(0)), 1n);
    assert.equal(state.isContract(REWARD_ADDRESS), true);
  });
});

describe("rejections", () => {
  const cases: readonly [name: string, transaction: Transaction, code: string, where?: Where][] = [
    ["nonce", send({ to: TARGET, nonce: 1n }), "NONCE"],
    ["balance", send({ to: TARGET, value: BALANCE }), "BALANCE"],
    ["intrinsic gas", send({ to: TARGET, gasLimit: 20_999n }), "INTRINSIC_GAS"],
    ["list gas limit", send({ to: TARGET }), "GAS_LIMIT", { listGasLimit: 99_999n }],
    ["8-byte gas limit with the top bit", send({ to: TARGET, gasLimit: 1n << 63n }), "INTERNAL_ERROR"],
    ["gas limit of 9 bytes", send({ to: TARGET, gasLimit: 1n << 64n }), "GAS_LIMIT"],
    ["init code size", send({ data: "00".repeat(49153), gasLimit: 5_000_000n }), "INIT_CODE_SIZE"],
    [
      "other chain's signature",
      signTransaction({ nonce: 0n, gasPrice: 0n, gasLimit: 21000n, to: TARGET, chainId: 30 }, KEY),
      "SIGNATURE",
    ],
  ];
  for (const [name, transaction, code, where] of cases) {
    it(name, () => {
      const state = stateWith();
      const before = state.commit().root;
      assert.throws(() => execute(state, transaction, where), rejection(code));
      assert.deepEqual(state.commit().root, before);
    });
  }

  it("code in a block whose gas limit is longer than a word, but nothing else", () => {
    const block = { ...BLOCK, hasLongGasLimit: true };
    const to = TARGET;
    assert.equal(execute(stateWith(), send({ to }), { block }).status, 1);
    assert.equal(execute(stateWith(), send({ to: fromHex(`${"00".repeat(19)}04`) }), { block }).status, 1);
    assert.equal(execute(stateWith(), send({}), { block }).status, 1);
    assert.throws(() => execute(stateWith("00"), send({ to }), { block }), rejection("INTERNAL_ERROR"));
    assert.throws(() => execute(stateWith(), send({ data: "00" }), { block }), rejection("INTERNAL_ERROR"));
  });

  it("reverts everything when an error escapes execution", () => {
    const state = stateWith();
    const contract: NativeContract = {
      address: TARGET,
      name: "throwing",
      isActive: () => true,
      gas: () => {
        throw new TextlessFailure({ code: "TEXTLESS_FAILURE", contract: "throwing", reason: "no data" });
      },
      execute: () => null,
    };
    assert.throws(() => execute(state, send({ to: TARGET }), { contracts: [contract] }), rejection("INTERNAL_ERROR"));
    assert.equal(state.getNonce(SENDER), 0n);
    assert.equal(state.getBalance(SENDER), BALANCE);
  });
});

describe("local calls", () => {
  const call = (state: JournaledState, data: string, to: Uint8Array = TARGET, gasLimit = 1_000_000n) =>
    createEvm({ network: NETWORKS.local, contracts: precompiles }).call(
      { from: SENDER, to, data: fromHex(data), value: 0n, gasPrice: 0n, gasLimit },
      BLOCK,
      state,
    );

  it("leave the state unchanged", () => {
    const state = stateWith("600160005560015f5260205ff3");
    const before = state.commit().root;
    const outcome = call(state, "");
    assert.equal(toHex(outcome.output!), "01".padStart(64, "0"));
    assert.deepEqual(state.commit().root, before);
  });

  it("report the peak of gas used, which refunds do not lower", () => {
    const state = stateWith("600060005500");
    state.setStorage(TARGET, 0n, 1n);
    const outcome = call(state, "");
    assert.equal(outcome.maxGasUsed, 26006);
    assert.equal(outcome.gasUsed, 13003);
    assert.equal(outcome.movedRemainingGasToChild, false);
  });

  it("report whether a call took all gas or moved value", () => {
    const greedy = call(stateWith(`5f5f5f5f5f73${"dd".repeat(20)}5af100`), "");
    assert.equal(greedy.movedRemainingGasToChild, true);
    assert.equal(greedy.stipend, 0);
    const paying = call(stateWith(`5f5f5f5f600173${"dd".repeat(20)}5ff100`), "");
    assert.equal(paying.movedRemainingGasToChild, false);
    assert.equal(paying.stipend, 2300);
  });

  it("fail if the limit does not cover the intrinsic gas", () => {
    const outcome = call(stateWith("00"), "", TARGET, 20_000n);
    assert.equal(outcome.exception?.kind, "out-of-gas");
  });

  it("create", () => {
    const outcome = call(stateWith(), "60ff5f5360015ff3", new Uint8Array(0));
    assert.deepEqual(outcome.output, Uint8Array.of(0xff));
  });
});

describe("an interruption", () => {
  const ENDLESS: readonly [string, string][] = [
    ["a loop", "5b5f56"],
    ["a conditional loop", "5b60015f57"],
    ["calls of itself", `5b${"5f".repeat(5)}305af150${"5f".repeat(5)}305af1505f56`],
    ["calls of a precompiled contract", "5f5f5f5f5f600461fffff150".repeat(2000)],
    ["reads of storage", "5f5450".repeat(20_000)],
  ];

  for (const [name, code] of ENDLESS) {
    it(`ends ${name}, and leaves state and machine usable`, () => {
      const state = stateWith(code);
      const before = state.commit().root;
      let checks = 0;
      let limit = 3;
      const isInterrupted = (_gas: number) => ++checks > limit;
      const evm = createEvm({ network: NETWORKS.local, contracts: precompiles, isInterrupted });
      const to = TARGET;
      const call = { from: SENDER, to, data: new Uint8Array(0), value: 0n, gasPrice: 0n, gasLimit: 2n ** 53n };
      assert.throws(() => evm.call(call, BLOCK, state), ExecutionInterrupted);
      assert.equal(checks, limit + 1);
      assert.deepEqual(state.commit().root, before);
      limit = Number.POSITIVE_INFINITY;
      assert.equal(evm.call({ ...call, gasLimit: 100_000n }, BLOCK, state).output?.length, 0);
    });
  }

  it("is asked about the price of native calls", () => {
    const prices: number[] = [];
    const isInterrupted = (gas: number) => {
      prices.push(gas);
      return gas > 100;
    };
    const evm = createEvm({ network: NETWORKS.local, contracts: precompiles, isInterrupted });
    const call = { from: SENDER, data: new Uint8Array(0), value: 0n, gasPrice: 0n, gasLimit: 100_000n };
    const sha256 = fromHex("02".padStart(40, "0"));
    evm.call({ ...call, to: sha256, data: new Uint8Array(32) }, BLOCK, stateWith());
    assert.deepEqual(prices, [72]);
    assert.throws(
      () => evm.call({ ...call, to: sha256, data: new Uint8Array(320) }, BLOCK, stateWith()),
      ExecutionInterrupted,
    );
    const caller = stateWith(`5f5f6101405f5f600261fffff1`);
    assert.throws(() => evm.call({ ...call, to: TARGET }, BLOCK, caller), ExecutionInterrupted);
    assert.deepEqual(prices, [72, 180, 0, 180]);
  });
});
