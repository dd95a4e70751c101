import assert from "node:assert/strict";
import { type FederationFormat, main, rulesAt } from "@cambium/config";
import { compareBytes, concatBytes, fromHex, keccak256, toHex, utf8 } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { flyoverRedeem } from "../src/bitcoin/flyover-script.js";
import { parseMultisig } from "../src/bitcoin/redeem-script.js";
import { publicKeyHashOutput, redeemHash, scriptHashOutput } from "../src/bitcoin/script.js";
import { encodeOutput, encodeStripped, encodeTransaction, type ParentOutput } from "../src/bitcoin/transaction.js";
import { BridgeError } from "../src/errors.js";
import { redeemScript } from "../src/federation/script.js";
import type { Signers } from "../src/federation/spending.js";
import type { Utxo } from "../src/model/utxo.js";
import { CoinSequence } from "../src/release-builder/coin-sequence.js";
import { totalsOf } from "../src/release-builder/output-totals.js";
import { type BuildResult, buildEmptyWallet, buildRelease } from "../src/release-builder/release-builder.js";
import { baseInput, feeOf, planRelease } from "../src/release-builder/release-plan.js";
import { estimatedVirtualSize } from "../src/release-builder/size.js";
import { inSpendingOrder, type Wallet } from "../src/release-builder/wallet.js";
import { compressed, signer } from "./peg-world.js";

const RULES = rulesAt(main, 8_000_000);
const members = Array.from({ length: 5 }, (_, i) => {
  const key = compressed(signer(`member ${i}`));
  return { btc: key, rsk: key, mst: key };
});

/** Redeem scripts of a federation, without and with flyover prefixes. */
function redeemsOf(format: FederationFormat): Uint8Array[] {
  const redeem = redeemScript({ format, creationTimeMillis: 0n, creationBlock: 0, members }, main, RULES);
  return [redeem, ...["a", "b"].map((name) => flyoverRedeem(keccak256(utf8(name)), redeem))];
}

const FORMS = ([1000, 4000] as const).map((format) => ({ segwit: format === 4000, redeems: redeemsOf(format) }));

interface Setup {
  wallet: Wallet;
  outputs: ParentOutput[];
  changeScript: Uint8Array;
  feePerKb: bigint;
  recipientsPay: boolean;
}

/** A wallet whose coins pay to the scripts of a form; 3 is a script that cannot be spent. */
function walletOf(
  { segwit, redeems }: (typeof FORMS)[number],
  coins: readonly (readonly [number, number])[],
  signers?: Signers,
): Wallet {
  const scripts = redeems.map((redeem) => scriptHashOutput(redeemHash(redeem, segwit)));
  const list = coins.map(([value, script], i): Utxo => {
    const txid = keccak256(utf8(`coin ${i % 7}`));
    return {
      txid,
      index: i,
      value: BigInt(value),
      script: scripts[script] ?? fromHex("51"),
      height: 0,
      coinbase: false,
    };
  });
  return {
    coins: list,
    segwit,
    signers,
    redeemOf({ script }) {
      const position = scripts.findIndex((candidate) => toHex(candidate) === toHex(script));
      if (position < 0) throw new BridgeError({ code: "UNSPENDABLE_COIN" });
      return redeems[position]!;
    },
  };
}

const amount = fc.oneof(fc.nat(3000), fc.nat(200_000), fc.nat(50_000_000));
const output = fc.tuple(amount, fc.constantFrom("p2pkh", "p2sh", "data")).map(([value, kind]): ParentOutput => {
  if (kind === "data") return { value: BigInt(value), script: fromHex("6a0100") };
  const hash = new Uint8Array(20).fill(value);
  return { value: BigInt(value), script: kind === "p2sh" ? scriptHashOutput(hash) : publicKeyHashOutput(hash) };
});
const setup: fc.Arbitrary<Setup> = fc
  .record({
    form: fc.constantFrom(...FORMS),
    coins: fc.array(fc.tuple(amount, fc.constantFrom(0, 0, 0, 1, 2, 0, 1, 2, 3)), { maxLength: 25 }),
    outputs: fc.array(output, { minLength: 1, maxLength: 8 }),
    changeScript: fc.constantFrom(scriptHashOutput(new Uint8Array(20)), fromHex("6a")),
    feePerKb: fc.oneof(fc.nat(10_000), fc.nat(200_000), fc.nat(20_000_000)).map(BigInt),
    recipientsPay: fc.boolean(),
  })
  .map(({ form, coins, ...rest }) => ({ ...rest, wallet: walletOf(form, coins) }));

type Model = { outputs: ParentOutput[]; spent: Utxo[] } | string;

const dust = ({ value, script }: ParentOutput): bigint =>
  (15_000n * BigInt(encodeOutput({ value, script }).length + 148)) / 1000n;
const isDust = (candidate: ParentOutput): boolean => candidate.script[0] !== 0x6a && candidate.value < dust(candidate);

/** Fee by the sizes of `spec/06b-3 §6.5`, of inputs that are listed one by one. */
function fee({ wallet }: Setup, spent: readonly Utxo[], outputs: readonly ParentOutput[], rate: bigint): bigint {
  const empty = spent.map(({ txid, index }) => ({ txid, index, script: new Uint8Array(0), sequence: 0, witness: [] }));
  const base = encodeStripped({ version: 2, inputs: empty, outputs, lockTime: 0 }).length;
  const signatures = spent
    .map((coin) => wallet.redeemOf(coin))
    .reduce((sum, redeem) => sum + 75 * parseMultisig(redeem)!.threshold + redeem.length, 0);
  const total = base + 36 * spent.length;
  const size = wallet.segwit ? Math.floor((4 * total + signatures) / 4) : base + signatures;
  return (rate * BigInt(size)) / 1000n;
}

/** The build of `spec/06b-3 §6.3` step by step: every attempt lists its outputs and inputs. */
function model(given: Setup): Model {
  const { wallet, outputs, changeScript, feePerKb, recipientsPay } = given;
  if (outputs.some(isDust)) return "DUSTY";
  const sum = outputs.reduce((total, { value }) => total + value, 0n);
  const coins = [...wallet.coins].sort((a, b) => compareBytes(a.txid, b.txid) || a.index - b.index);
  const rate = feePerKb > 5000n ? feePerKb : 5000n;
  for (let paid = 0n; ; ) {
    const count = BigInt(outputs.length);
    let attempt = outputs.map(({ value, script }, i) => {
      const share = recipientsPay ? paid / count + (i === 0 ? paid % count : 0n) : 0n;
      return { value: value - share, script };
    });
    if (attempt.some(isDust)) return "COULD_NOT_ADJUST";
    const target = recipientsPay ? sum : sum + paid;
    const spent: Utxo[] = [];
    let value = 0n;
    for (const coin of coins) {
      if (value >= target) break;
      spent.push(coin);
      value += coin.value;
    }
    if (value < target) return "INSUFFICIENT";
    const change = { value: value - target, script: changeScript };
    let forgone = 0n;
    if (change.value > 0n && isDust(change) && recipientsPay) {
      const [first, ...others] = attempt as [ParentOutput, ...ParentOutput[]];
      const reduced = { ...first, value: first.value - (dust(change) - change.value) };
      if (isDust(reduced)) return "COULD_NOT_ADJUST";
      attempt = [reduced, ...others, { ...change, value: dust(change) }];
    } else if (change.value > 0n && isDust(change)) {
      forgone = change.value;
    } else if (change.value > 0n) {
      attempt = [...attempt, change];
    }
    const needed = fee(given, spent, attempt, rate);
    if (paid + forgone >= needed) return { outputs: attempt, spent };
    paid = needed;
  }
}

/** Returns the result of an action, or the code of its error. */
function outcome<T>(action: () => T): T | { error: string } {
  try {
    return action();
  } catch (error) {
    if (error instanceof BridgeError) return { error: error.code };
    throw error;
  }
}

function summary(result: BuildResult): Model {
  if (result.code !== "SUCCESS") return result.code;
  return { outputs: [...result.transaction.outputs], spent: [...result.spent] };
}

const build = ({ wallet, ...terms }: Setup): BuildResult => buildRelease(wallet, { ...terms, version: 2 });

describe("planned releases (spec/06b-3 §6.3)", () => {
  it("are those of an attempt for each fee that lists inputs and outputs", () => {
    fc.assert(
      fc.property(setup, (given) => {
        assert.deepEqual(
          outcome(() => summary(build(given))),
          outcome(() => model(given)),
        );
      }),
      { numRuns: runs(2000) },
    );
  });

  it("have the fee and the inputs of the transaction that is built", () => {
    fc.assert(
      fc.property(setup, (given) => {
        const result = outcome(() => build(given));
        if (!("code" in result) || result.code !== "SUCCESS") return;
        const { transaction, spent } = result;
        const coins = inSpendingOrder(given.wallet.coins);
        const totals = totalsOf(given.outputs);
        const plan = planRelease(given.wallet, coins, totals, given);
        assert.ok(typeof plan !== "string");
        const paid = transaction.outputs.reduce((sum, { value }) => sum + value, 0n);
        assert.equal(feeOf(plan, coins, totals), spent.reduce((sum, { value }) => sum + value, 0n) - paid);
        transaction.inputs.forEach(({ script, witness }, i) => {
          const form = baseInput(given.wallet.segwit, given.wallet.redeemOf(spent[i]!));
          assert.deepEqual({ script, witness }, form);
        });
      }),
      { numRuns: runs(1000) },
    );
  });

  it("are too big from 100 001 bytes on, with legacy scripts and without witnesses", () => {
    for (const form of FORMS) {
      let largest = 0;
      const unsigned = encodedLength(form);
      for (let inputs = Math.floor(100_000 / unsigned) - 3; ; inputs++) {
        const wallet = walletOf(
          form,
          Array.from({ length: inputs }, () => [100_000_000, 0] as const),
        );
        const outputs = [{ value: BigInt(inputs) * 100_000_000n, script: publicKeyHashOutput(new Uint8Array(20)) }];
        const given = { wallet, outputs, changeScript: fromHex("51"), feePerKb: 5000n, recipientsPay: true };
        const result = build(given);
        const empty = buildEmptyWallet(wallet, outputs[0]!.script, 5000n, 2);
        assert.equal(empty.code, result.code);
        if (result.code === "TOO_BIG") break;
        assert.ok(result.code === "SUCCESS");
        largest = counted(result, form.segwit);
        assert.ok(largest <= 100_000);
      }
      assert.ok(largest + unsigned > 100_000, "the next input exceeds the limit");
    }
  });

  it("have the estimated virtual size that another implementation publishes (RSKIP-378)", () => {
    const signers = { threshold: 7, redeemLength: 593 };
    assert.equal(estimatedVirtualSize(signers, 2, 2), 786);
    assert.equal(estimatedVirtualSize(signers, 9, 2), 3280);
  });

  it("are too big from 90 001 virtual bytes on with longest signatures (RSKIP-378)", () => {
    const form = FORMS[1]!;
    const redeem = form.redeems[0]!;
    const signers = { threshold: parseMultisig(redeem)!.threshold, redeemLength: redeem.length };
    const witness = [
      new Uint8Array(0),
      ...Array(signers.threshold).fill(new Uint8Array(73)),
      new Uint8Array(0),
      redeem,
    ];
    const virtualSize = (inputs: number): number => {
      const coins = Array.from({ length: inputs }, () => [100_000_000, 0] as const);
      const result = buildEmptyWallet(walletOf(form, coins), fromHex("51"), 5000n, 2);
      assert.ok(result.code === "SUCCESS");
      const limited = buildEmptyWallet(walletOf(form, coins, signers), fromHex("51"), 5000n, 2);
      const { transaction } = result;
      const signed = { ...transaction, inputs: transaction.inputs.map((input) => ({ ...input, witness })) };
      const marker = 2;
      const weight = 3 * encodeStripped(signed).length + encodeTransaction(signed).length - marker;
      assert.equal(limited.code, weight >= 4 * 90_001 ? "TOO_BIG" : "SUCCESS");
      return weight / 4;
    };
    const perInput = virtualSize(2) - virtualSize(1);
    const fitting = Math.floor(90_000 / perInput);
    const sizes = [fitting - 1, fitting, fitting + 1].map(virtualSize);
    assert.ok(sizes[0]! < 90_000 && sizes[2]! > 90_001, String(sizes));
  });
});

/** Size of a further unsigned input. */
function encodedLength(form: (typeof FORMS)[number]): number {
  const size = (coins: number): number => {
    const wallet = walletOf(
      form,
      Array.from({ length: coins }, () => [100_000_000, 0] as const),
    );
    return counted(buildEmptyWallet(wallet, fromHex("51"), 5000n, 2), form.segwit);
  };
  return size(2) - size(1);
}

/** Length of a transaction as the limit counts it. */
function counted(result: BuildResult, segwit: boolean): number {
  assert.ok(result.code === "SUCCESS");
  const { transaction } = result;
  const inputs = transaction.inputs.map((input) => (segwit ? { ...input, script: new Uint8Array(0) } : input));
  return encodeStripped({ ...transaction, inputs }).length;
}

describe("coins in spending order", () => {
  it("are summed and searched as one by one", () => {
    const value = fc.integer({ min: -50, max: 200 });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), fc.integer({ min: -100, max: 3000 }), (list, wanted) => {
        const coins = list.map((satoshi, i): Utxo => {
          const txid = concatBytes(new Uint8Array(31), Uint8Array.of(i));
          return { txid, index: 0, value: BigInt(satoshi), script: new Uint8Array(0), height: 0, coinbase: false };
        });
        const sequence = new CoinSequence(coins);
        const sum = (count: number): bigint => coins.slice(0, count).reduce((total, { value }) => total + value, 0n);
        const counts = Array.from({ length: coins.length + 1 }, (_, count) => count);
        assert.equal(
          sequence.reaching(BigInt(wanted)),
          counts.find((count) => sum(count) >= BigInt(wanted)),
        );
        for (const count of counts) {
          assert.equal(sequence.valueOf(count), sum(count));
        }
      }),
    );
  });
});
