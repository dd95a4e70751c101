import assert from "node:assert/strict";
import { NETWORKS, REWARD_SENDER, rulesAt } from "@cambium/config";
import { equalBytes, toHex } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { buildTransaction, rewardTransaction, transactionsRoot as rootOf, Transaction } from "@cambium/types";
import {
  rewardTransactionLast,
  transactionFields,
  transactionGasPriceCap,
  transactionGasPriceMinimum,
  transactionNonces,
  transactionsRoot,
} from "../../src/rules/transactions.js";
import { codeOf, faultOf, signed } from "../support.js";

const rules = rulesAt(NETWORKS.local, 1);

/** A state with nonces only. */
function nonces(entries: [Uint8Array, bigint][]): StateReader {
  const byAddress = new Map(entries.map(([address, nonce]) => [toHex(address), nonce]));
  return { getNonce: (address: Uint8Array) => byAddress.get(toHex(address)) ?? 0n } as StateReader;
}

describe("transaction fields", () => {
  const fieldOf = (own: Parameters<typeof signed>[1]) => {
    const fault = faultOf(() => transactionFields([signed("a"), signed("b", own)]));
    return fault?.code === "TRANSACTION_FIELDS" ? `${fault.index} ${fault.field}` : fault;
  };

  it("are within their sizes", () => {
    assert.equal(fieldOf({}), undefined);
    assert.equal(fieldOf({ nonce: 2n ** 256n - 1n }), undefined);
    assert.equal(fieldOf({ nonce: 2n ** 256n }), "1 nonce");
    assert.equal(fieldOf({ gasPrice: 2n ** 255n - 1n, value: 2n ** 255n - 1n }), undefined);
    assert.equal(fieldOf({ gasPrice: 2n ** 255n }), "1 gasPrice");
    assert.equal(fieldOf({ value: 2n ** 255n }), "1 value");
    assert.equal(fieldOf({ gasLimit: 2n ** 256n }), "1 gasLimit");
  });

  it("allow recovering the public key", () => {
    const { r: _, ...signature } = signed("a").signature!;
    const unrecoverable = new Transaction({
      nonce: new Uint8Array(0),
      gasPrice: 0n,
      gasLimit: Uint8Array.of(1),
      to: new Uint8Array(20),
      value: 0n,
      data: new Uint8Array(0),
      signature: { ...signature, r: new Uint8Array(32).fill(0xff) },
      unsignedChainId: 0,
      isReward: false,
    });
    assert.equal(
      codeOf(() => transactionFields([unrecoverable])),
      "TRANSACTION_FIELDS",
    );
  });

  it("are valid in the reward transaction", () => {
    assert.equal(
      codeOf(() => transactionFields([rewardTransaction(7)])),
      undefined,
    );
  });
});

describe("transaction nonces", () => {
  const sender = signed("a").sender!;

  it("continue the state's for each sender", () => {
    const block = [signed("a", { nonce: 3n }), signed("b"), signed("a", { nonce: 4n }), rewardTransaction(8)];
    const state = nonces([
      [sender, 3n],
      [REWARD_SENDER, 7n],
    ]);
    assert.equal(
      codeOf(() => transactionNonces(block, state)),
      undefined,
    );
  });

  it("neither repeat nor skip", () => {
    for (const second of [3n, 5n]) {
      const block = [signed("a", { nonce: 3n }), signed("a", { nonce: second })];
      assert.deepEqual(
        faultOf(() => transactionNonces(block, nonces([[sender, 3n]]))),
        { code: "TRANSACTION_NONCE", index: 1, expected: 4n, actual: second },
      );
    }
  });

  it("of the reward transaction follow the block number", () => {
    const state = nonces([[REWARD_SENDER, 8n]]);
    assert.deepEqual(
      faultOf(() => transactionNonces([rewardTransaction(8)], state)),
      { code: "TRANSACTION_NONCE", index: 0, expected: 8n, actual: 7n },
    );
  });

  it("require a sender", () => {
    const unsigned = buildTransaction({ nonce: 0n, gasPrice: 0n, gasLimit: 1n });
    assert.deepEqual(
      faultOf(() => transactionNonces([unsigned], nonces([]))),
      { code: "TRANSACTION_FIELDS", index: 0, field: "sender", reason: "not signed" },
    );
  });
});

describe("transaction gas prices", () => {
  const block = (gasPrice: bigint) => [signed("a", { gasPrice }), rewardTransaction(1)];

  it("are at least the block's minimum", () => {
    const code = (price: bigint, minimumGasPrice: bigint | null) =>
      codeOf(() => transactionGasPriceMinimum({ minimumGasPrice }, block(price)));
    assert.equal(code(10n, 10n), undefined);
    assert.equal(code(9n, 10n), "TRANSACTION_GAS_PRICE_MINIMUM");
    assert.equal(code(0n, 0n), undefined);
  });

  // spec/02 §11.3
  it("are at most a hundred times the minimum since RSKIP-252", () => {
    const code = (price: bigint, minimumGasPrice: bigint, at = rules) =>
      codeOf(() => transactionGasPriceCap({ minimumGasPrice }, block(price), at));
    assert.equal(code(2n ** 200n, 0n), undefined);
    assert.equal(code(99n, 1n), undefined);
    assert.equal(code(100n, 1n), undefined);
    assert.equal(code(101n, 1n), "TRANSACTION_GAS_PRICE_CAP");
    assert.equal(code(101n, 1n, rulesAt(NETWORKS.main, 5_467_999)), undefined);
    assert.equal(code(101n, 1n, rulesAt(NETWORKS.main, 5_468_000)), "TRANSACTION_GAS_PRICE_CAP");
  });
});

describe("transactions root", () => {
  it("is that of the list in the format of the height", () => {
    const block = [signed("a"), rewardTransaction(1)];
    for (const at of [rules, rulesAt(NETWORKS.main, 1)]) {
      const root = rootOf(block, at);
      assert.equal(
        codeOf(() => transactionsRoot({ transactionsRoot: root }, rootOf(block, at))),
        undefined,
      );
      assert.equal(
        codeOf(() => transactionsRoot({ transactionsRoot: root }, rootOf(block.slice(1), at))),
        "TRANSACTIONS_ROOT",
      );
    }
    assert.equal(equalBytes(rootOf(block, rules), rootOf(block, rulesAt(NETWORKS.main, 1))), false);
  });
});

describe("reward transaction", () => {
  it("is the last one and the only one", () => {
    const reward = rewardTransaction(1);
    assert.equal(
      codeOf(() => rewardTransactionLast([reward])),
      undefined,
    );
    assert.equal(
      codeOf(() => rewardTransactionLast([signed("a"), reward])),
      undefined,
    );
    for (const block of [[], [signed("a")], [reward, signed("a")], [reward, reward]]) {
      assert.equal(
        codeOf(() => rewardTransactionLast(block)),
        "REWARD_TRANSACTION",
      );
    }
  });
});
