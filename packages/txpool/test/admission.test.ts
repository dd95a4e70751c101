import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, NETWORKS } from "@cambium/config";
import { bigintToBytes, fromHex, numberToBytes, SECP256K1_N, toHex } from "@cambium/primitives";
import { Transaction } from "@cambium/types";
import { type PoolEvent, STATELESS_REFUSALS, TransactionPool } from "../src/index.js";
import { isBump } from "../src/validation.js";
import {
  addressOf,
  FakeChain,
  MINIMUM_GAS_PRICE,
  network,
  noEvm,
  outcome,
  setting,
  settingOf,
  signed,
} from "./support.js";

function ids(transactions: readonly { transaction: Transaction }[]): string[] {
  return transactions.map(({ transaction }) => toHex(transaction.hash));
}

describe("admission", () => {
  it("makes transactions that continue the nonces pending and queues the rest", () => {
    const { pool } = setting(["A", "B"]);
    const [a0, a1, a3, b0] = [signed("A"), signed("A", { nonce: 1n }), signed("A", { nonce: 3n }), signed("B")];
    assert.deepEqual(
      [a0, a3, a1, b0].map((t) => outcome(pool, t)),
      ["pending", "queued", "pending", "pending"],
    );
    assert.deepEqual(
      ids(pool.pending()),
      [a0, a1, b0].map(({ hash }) => toHex(hash)),
    );
    assert.deepEqual(ids(pool.queued()), [toHex(a3.hash)]);
    assert.equal(pool.pendingNonce(addressOf("A")), 2n);
    assert.equal(pool.get(a3.hash)?.isPending, false);
    assert.deepEqual(pool.counts(), { pending: 3, queued: 1, bytes: [a0, a1, a3, b0].reduce((n, t) => n + t.size, 0) });
  });

  it("promotes queued successors with the missing transaction", () => {
    const { pool } = setting(["A"]);
    const events: PoolEvent[] = [];
    pool.on((event) => events.push(event));
    const [a0, a1, a2, a4] = [0n, 1n, 2n, 4n].map((nonce) => signed("A", { nonce }));
    for (const later of [a4, a2, a1]) assert.equal(pool.add(later!, { local: false }).kind, "queued");
    assert.deepEqual(events, []);
    assert.deepEqual(pool.add(a0!, { local: false }), { kind: "pending", added: [a0, a1, a2] });
    assert.deepEqual(events, [{ kind: "newPending", transactions: [a0, a1, a2], cause: "remote" }]);
    assert.equal(pool.counts().queued, 1);
  });

  it("removes a successor that fails validation, and stops promoting", () => {
    const { pool, chain } = setting(["A"]);
    const lowest = signed("A", { nonce: 1n });
    assert.equal(outcome(pool, lowest), "queued");
    assert.equal(outcome(pool, signed("A", { nonce: 2n, gasPrice: 300n })), "queued");
    chain.extend({ minimumGasPrice: MINIMUM_GAS_PRICE + 1n });
    assert.equal(outcome(pool, signed("A", { gasPrice: 300n })), "pending");
    assert.deepEqual(pool.counts().pending, 1);
    assert.equal(pool.get(lowest.hash), undefined);
    assert.equal(pool.counts().queued, 1);
  });

  it("emits one event for a batch", () => {
    const { pool } = setting(["A"]);
    const events: PoolEvent[] = [];
    const stop = pool.on((event) => events.push(event));
    const batch = [signed("A"), signed("A", { nonce: 1n }), signed("unfunded")];
    assert.deepEqual(
      pool.addAll(batch, { local: true }).map(({ kind }) => kind),
      ["pending", "pending", "refused"],
    );
    assert.deepEqual(events, [{ kind: "newPending", transactions: batch.slice(0, 2), cause: "local" }]);
    stop();
    pool.add(signed("A", { nonce: 2n }), { local: true });
    assert.equal(events.length, 1);
  });

  it("refuses duplicates, with a message for each set", () => {
    const { pool } = setting(["A"]);
    const [now, later] = [signed("A"), signed("A", { nonce: 2n })];
    pool.addAll([now, later], { local: false });
    assert.equal(outcome(pool, now), "pending transaction with same hash already exists");
    assert.equal(outcome(pool, later), "queued transaction with same hash already exists");
  });

  it("replaces a pending transaction at a higher price, a queued one at any price", () => {
    const { pool } = setting(["A"]);
    const low = { gasPrice: 300n };
    const first = signed("A", low);
    pool.addAll([first, signed("A", { nonce: 1n, ...low }), signed("A", { nonce: 3n, ...low })], { local: false });
    assert.equal(outcome(pool, signed("A", { gasPrice: 419n })), "gas price not enough to bump transaction");
    const dearer = signed("A", { gasPrice: 420n });
    assert.equal(outcome(pool, dearer), "pending");
    assert.equal(pool.get(first.hash), undefined);
    assert.equal(pool.get(dearer.hash)?.isPending, true);
    assert.equal(outcome(pool, signed("A", { nonce: 3n, gasPrice: 150n })), "queued");
    const { pending, queued } = pool.counts();
    assert.deepEqual({ pending, queued }, { pending: 2, queued: 1 });
    assert.equal(pool.pendingNonce(addressOf("A")), 2n);
  });

  it("sums the cost of all pending transactions except the replaced one", () => {
    const accounts = new Map([[toHex(addressOf("A")), { nonce: 0n, balance: 3n * 21_000n * 1000n }]]);
    const { pool } = settingOf(accounts);
    const price = { gasPrice: 1000n };
    assert.equal(outcome(pool, signed("A", price)), "pending");
    assert.equal(outcome(pool, signed("A", { nonce: 1n, ...price })), "pending");
    const message = "insufficient funds to pay for pending and new transactions";
    assert.equal(outcome(pool, signed("A", { nonce: 2n, value: 1n, ...price })), message);
    assert.equal(outcome(pool, signed("A", { nonce: 1n, gasPrice: 2000n, value: 1n })), message);
    assert.equal(outcome(pool, signed("A", { nonce: 1n, gasPrice: 2000n })), "pending");
    // queued transactions are not counted until promoted
    assert.equal(outcome(pool, signed("A", { nonce: 3n, ...price })), "queued");
  });

  it("requires a price higher by 40 per cent, rounded down, for a replacement", () => {
    const least: [bigint, bigint][] = [
      [1n, 2n],
      [2n, 3n],
      [3n, 4n],
      [59_240_000n, 82_936_000n],
    ];
    for (const [old, enough] of least) {
      assert.equal(isBump(enough, old, 40), true);
      assert.equal(isBump(enough - 1n, old, 40), false);
    }
  });
});

describe("validation", () => {
  const names = ["A"];
  const refusals: [string, () => Transaction, string][] = [
    ["no account", () => signed("unfunded"), "the sender account doesn't exist"],
    [
      "init code",
      () => signed("A", { to: undefined, data: new Uint8Array(49_153), gasLimit: 6_000_000n }),
      "transaction's init code size is invalid",
    ],
    [
      "size",
      () => signed("A", { data: new Uint8Array(131_072) }),
      `transaction's size is higher than defined maximum: ${signed("A", { data: new Uint8Array(131_072) }).size} > 131072`,
    ],
    [
      "gas limit",
      () => signed("A", { gasLimit: 6_800_001n }),
      "transaction's gas limit of 6800001 is higher than the block's gas limit of 6800000",
    ],
    ["nonce length", () => withNonce("000000000000000001"), "transaction nonce byte length exceeds maximum: 9 > 8"],
    ["nonce encoding", () => withNonce("0001"), "transaction nonce has non-canonical encoding"],
    ["nonce too high", () => signed("A", { nonce: 16n }), "transaction nonce too high"],
    ["balance", () => signed("A", { gasPrice: 10n ** 24n }), "insufficient funds"],
    [
      "minimum price",
      () => signed("A", { gasPrice: MINIMUM_GAS_PRICE - 1n }),
      "transaction's gas price lower than block's minimum",
    ],
    ["intrinsic gas", () => signed("A", { gasLimit: 20_999n }), "transaction's basic cost is above the gas limit"],
    ["price cap", () => signed("A", { gasPrice: 80n * MINIMUM_GAS_PRICE + 1n }), "transaction's gas price exceeds cap"],
  ];
  /** Returns a transaction with an arbitrary signature; the account of the recovered sender is created. */
  function withNonce(hex: string): Transaction {
    const { gasPrice, gasLimitBytes, to, value, data, signature } = signed("A");
    const fields = { nonce: fromHex(hex), gasPrice, gasLimit: gasLimitBytes, to, value, data, signature };
    const transaction = new Transaction({ ...fields, unsignedChainId: 0, isReward: false });
    transaction.setSender(addressOf("A"));
    return transaction;
  }

  for (const [name, make, message] of refusals) {
    it(`reports ${name}`, () => {
      const { pool } = setting(names);
      assert.equal(outcome(pool, make()), message);
      assert.equal(pool.counts().pending, 0);
    });
  }

  it("refuses a nonce that is too low", () => {
    const { pool, chain } = setting(names);
    chain.extend({ transactions: [signed("A")] });
    assert.equal(outcome(pool, signed("A")), "transaction nonce too low");
    assert.equal(outcome(pool, signed("A", { nonce: 16n })), "queued");
    assert.equal(outcome(pool, signed("A", { nonce: 17n })), "transaction nonce too high");
  });

  it("accepts the limits: 80 times the minimum price, 131072 bytes, the block's gas", () => {
    const { pool } = setting(names);
    assert.equal(outcome(pool, signed("A", { gasPrice: 80n * MINIMUM_GAS_PRICE, gasLimit: 6_800_000n })), "pending");
    const overhead = signed("A", { nonce: 1n, data: new Uint8Array(100_000), gasLimit: 6_000_000n }).size - 100_000;
    const largest = signed("A", { nonce: 1n, data: new Uint8Array(131_072 - overhead), gasLimit: 6_000_000n });
    assert.equal(largest.size, 131_072);
    assert.equal(outcome(pool, largest), "pending");
  });

  it("has no price cap if the minimum is 0", () => {
    const { pool } = setting(names, {}, { minimumGasPrice: 0n });
    assert.equal(outcome(pool, signed("A", { gasPrice: 10n ** 12n })), "pending");
  });

  it("refuses reward transactions", () => {
    const fields = {
      nonce: Uint8Array.of(1),
      gasPrice: 0n,
      gasLimit: Uint8Array.of(0),
      to: new Uint8Array(20),
      value: 0n,
      data: new Uint8Array(0),
    };
    const { pool } = settingOf(new Map([["00", { nonce: 0n, balance: 0n }]]));
    const reward = new Transaction({ ...fields, signature: null, unsignedChainId: 0, isReward: true });
    assert.equal(outcome(pool, reward), "transaction is a remasc transaction");
  });

  it("has one message for all invalid signatures", () => {
    const { pool } = setting(names);
    assert.equal(outcome(pool, signed("A", { chainId: 30 })), "Invalid chainId: 30");
    assert.equal(outcome(pool, signed("A", { chainId: 0 })), "pending");
    const { nonceBytes, gasPrice, gasLimitBytes, to, value, data, signature } = signed("A", { nonce: 1n });
    const half = SECP256K1_N / 2n;
    for (const [s, r] of [
      [half, 1n],
      [half - 1n, SECP256K1_N],
      [0n, 1n],
    ] as const) {
      const forged = { ...signature!, s: bigintToBytes(s), r: bigintToBytes(r) };
      const fields = { nonce: nonceBytes, gasPrice, gasLimit: gasLimitBytes, to, value, data, signature: forged };
      const transaction = new Transaction({ ...fields, unsignedChainId: 0, isReward: false });
      assert.equal(outcome(pool, transaction), "Invalid chainId: 33");
    }
    const accepted = { ...signature!, s: bigintToBytes(half - 1n) };
    const fields = { nonce: nonceBytes, gasPrice, gasLimit: gasLimitBytes, to, value, data, signature: accepted };
    const known = new Transaction({ ...fields, unsignedChainId: 0, isReward: false });
    known.setSender(addressOf("A"));
    assert.equal(outcome(pool, known), "pending");
  });

  it("checks only the form of free bridge transactions", () => {
    const free = { ...network, ruleHeights: { ...network.ruleHeights, areBridgeTxsPaid: -1 } };
    const member = addressOf("member");
    const bridge = { ...free.bridge, authorizers: { ...free.bridge.authorizers, whitelist: [member] } };
    const chain = new FakeChain(new Map(), {}, { ...free, bridge });
    const modules = { chain: chain.asPoolChain, evm: noEvm, now: () => 0 };
    const pool = new TransactionPool(modules, { rateLimit: false });
    const request = { to: BRIDGE_ADDRESS, gasLimit: 1n };
    assert.equal(outcome(pool, signed("member", request)), "pending");
    assert.equal(outcome(pool, signed("stranger", request)), "the sender account doesn't exist");
  });

  it("allows the gas of the largest list if blocks have execution lists", () => {
    const cases: [bigint, number, bigint][] = [
      [6_800_000n, 10_000_000, 6_800_000n],
      [20_000_000n, 10_000_000, 10_000_000n],
      [30_000_001n, 10_000_000, 10_000_001n],
      [20_400_000n, 6_800_000, 6_800_000n],
    ];
    for (const [gasLimit, minimumSequentialGas, allowed] of cases) {
      const consensus = { ...NETWORKS.local.consensus, minimumSequentialGas };
      const accounts = new Map([[toHex(addressOf("A")), { nonce: 0n, balance: 10n ** 24n }]]);
      const fields = { gasLimit: numberToBytes(Number(gasLimit)) };
      const chain = new FakeChain(accounts, fields, {
        ...NETWORKS.local,
        ruleHeights: { rskip144: 0, rskip351: 0 },
        consensus,
      });
      const pool = new TransactionPool({ chain: chain.asPoolChain, evm: noEvm, now: () => 0 }, { rateLimit: false });
      const message = `transaction's gas limit of ${allowed + 1n} is higher than the block's gas limit of ${allowed}`;
      assert.equal(outcome(pool, signed("A", { gasLimit: allowed + 1n })), message);
      assert.equal(outcome(pool, signed("A", { gasLimit: allowed })), "pending");
    }
  });

  it("blames no peer for refusals that depend on the state", () => {
    assert.deepEqual([...STATELESS_REFUSALS].sort(), [
      "NONCE_ENCODING",
      "NONCE_LENGTH",
      "REWARD_TRANSACTION",
      "SIGNATURE",
      "SIZE",
    ]);
  });
});
