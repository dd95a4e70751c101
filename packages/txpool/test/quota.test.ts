import assert from "node:assert/strict";
import { toHex } from "@cambium/primitives";
import { QuotaBook } from "../src/quota.js";
import { virtualGas } from "../src/virtual-gas.js";
import { addressOf, outcome, RICH, settingOf, signed } from "./support.js";

const usual = {
  nonce: 100n,
  gasLimit: 100_000n,
  gasPrice: 65_164_000n,
  size: 1024,
  expectedNonce: 100n,
  replacedGasPrice: undefined,
  blockGasLimit: 6_800_000n,
  blockMinimumGasPrice: 59_240n,
  averageGasPrice: 65_164_000n,
};

describe("virtual gas", () => {
  const cases: [string, Partial<Parameters<typeof virtualGas>[0]>, number][] = [
    ["small", {}, 114_584.41467676181],
    ["nonce 0", { nonce: 0n, expectedNonce: 0n }, 551_096.4705882354],
    ["future nonce", { nonce: 200n }, 229_168.82935352362],
    ["size", { size: 100_000 }, 550_378.5672684915],
    ["lowest price", { gasPrice: 59_240n }, 458_337.65870704723],
    ["full gas limit", { gasLimit: 6_800_000n }, 36_794_328.7128713],
    ["replacement", { gasPrice: 71_680_400n, replacedGasPrice: 65_164_000n }, 218_752.06438290892],
    [
      "all high",
      {
        expectedNonce: 0n,
        nonce: 3n,
        gasLimit: 6_800_000n,
        gasPrice: 65_164n,
        size: 100_000,
        replacedGasPrice: 59_240n,
      },
      12_980_932_252.460915,
    ],
    ["no market", { gasPrice: 1n, averageGasPrice: undefined }, 114_584.41467676181],
    ["average of the minimum", { gasPrice: 1n, blockMinimumGasPrice: 65_164_000n }, 100_000 * 1900],
  ];
  for (const [name, own, expected] of cases) {
    it(name, () => assert.equal(virtualGas({ ...usual, ...own }), expected));
  }
});

describe("quota", () => {
  it("lets an account spend its accumulated allowance", () => {
    const sender = addressOf("A");
    const accounts = new Map([[toHex(sender), { nonce: 5n, balance: RICH }]]);
    const { pool, clock } = settingOf(accounts, { rateLimit: true });
    // An account with a history starts with 2000 seconds' worth: 12 240 000 000.
    const request = { gasLimit: 6_800_000n };
    const replaceAll = (gasPrice: bigint): string[] =>
      Array.from({ length: 16 }, (_, i) => outcome(pool, signed("A", { nonce: BigInt(5 + i), gasPrice, ...request })));
    let gasPrice = 100n;
    let accepted = 0;
    for (; gasPrice < 8000n; gasPrice = (gasPrice * 14n) / 10n + 1n) {
      const outcomes = replaceAll(gasPrice);
      accepted += outcomes.filter((kind) => kind === "pending").length;
      if (!outcomes.includes("account exceeds quota")) assert.deepEqual(new Set(outcomes), new Set(["pending"]));
      else break;
    }
    assert.ok(accepted > 16 && accepted < 200, `${accepted}`);
    assert.equal(replaceAll(7999n).includes("pending"), false);
    // 6 120 000 per second, while each transaction costs over 80 000 000
    clock.now += 30;
    const afterwards = replaceAll(8000n).filter((kind) => kind === "pending").length;
    assert.ok(afterwards >= 1 && afterwards <= 3, `${afterwards}`);
  });

  it("gives a new account one second's worth, and always admits its first transaction", () => {
    const accounts = new Map([[toHex(addressOf("A")), { nonce: 0n, balance: RICH }]]);
    const { pool, clock } = settingOf(accounts, { rateLimit: true });
    const heavy = { gasLimit: 6_800_000n };
    assert.equal(outcome(pool, signed("A", heavy)), "pending");
    assert.equal(outcome(pool, signed("A", { nonce: 1n, ...heavy })), "account exceeds quota");
    assert.equal(outcome(pool, signed("A", { nonce: 1n })), "account exceeds quota");
    clock.now += 1;
    assert.equal(outcome(pool, signed("A", { nonce: 1n })), "pending");
    // queued transactions are charged when promoted
    assert.equal(outcome(pool, signed("A", { nonce: 3n, ...heavy })), "queued");
  });

  it("is bounded, and drops accounts with a full allowance", () => {
    const book = new QuotaBook(100);
    const state = { exists: () => false, isContract: () => false } as never;
    const ask = (name: string, now: number) =>
      book.accept({
        transaction: signed(name, { nonce: 1n }),
        sender: addressOf(name),
        expectedNonce: 1n,
        virtualGas: 6_120_000 * 10,
        blockGasLimit: 6_800_000n,
        state,
        now,
      });
    book.clean(0);
    for (let i = 0; i < 300; i++) assert.equal(ask(`account ${i}`, 0), true);
    assert.equal(book.size, 100);
    book.clean(9);
    assert.equal(book.size, 100);
    book.clean(2000);
    assert.equal(book.size, 0);
  });
});
