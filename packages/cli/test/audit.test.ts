import assert from "node:assert/strict";
import type { BridgeHoldings, TransactionUnderWay } from "@cambium/bridge";
import { audit } from "../src/bridge/audit.js";
import type { ParentScan, UnspentOutput } from "../src/miner/parent-node.js";

const SCRIPT = `a914${"11".repeat(20)}87`;

function coin(txid: string, value = 5n) {
  return { owner: "active" as const, txid, index: 0, value, script: SCRIPT };
}

function output(txid: string, value = 5n): UnspentOutput {
  return { txid, index: 0, value, script: SCRIPT, height: 7 };
}

function spending(txid: string, spent: string, more: Partial<TransactionUnderWay> = {}): TransactionUnderWay {
  return { txid, stage: "signed", spends: [{ txid: spent, index: 0 }], returning: 3n, ...more };
}

function audited(own: Partial<BridgeHoldings>, unspent: UnspentOutput[], scan: Partial<ParentScan> = {}, carried = 0n) {
  const holdings: BridgeHoldings = {
    parentChain: { height: 9, hash: "best" },
    coins: [],
    inProgress: [],
    scripts: [SCRIPT],
    queued: 0n,
    fees: 0n,
    kept: 0n,
    union: 0n,
    circulating: 0n,
    difference: 0n,
    rejected: new Set(),
    spentBy: () => undefined,
    ...own,
  };
  return audit(holdings, { height: 9, standing: "best chain", unspent, ...scan }, carried);
}

describe("audit of the bridge", () => {
  it("finds nothing where both sides are equal", () => {
    const { differences, deposits, inProgress } = audited({ coins: [coin("a"), coin("b", 6n)] }, [
      output("b", 6n),
      output("a"),
    ]);
    assert.deepEqual([differences, deposits, inProgress], [[], [], []]);
  });

  it("lists coins that are missing, pay to another script or have another value", () => {
    const other = { ...output("other"), script: "51" };
    const { differences } = audited({ coins: [coin("gone"), coin("other"), coin("less")] }, [
      other,
      output("less", 4n),
    ]);
    assert.deepEqual(differences, [
      { kind: "missing", coin: coin("gone") },
      { kind: "missing", coin: coin("other") },
      { kind: "value", coin: coin("less"), actual: 4n },
    ]);
  });

  it("lists a difference of coins beyond the one that is known", () => {
    assert.deepEqual(audited({ difference: 12n }, []).differences, [{ kind: "balance", wei: 12n }]);
    assert.deepEqual(audited({ difference: 12n }, [], {}, 15n).differences, [{ kind: "balance", wei: -3n }]);
    assert.deepEqual(audited({ difference: 12n }, [], {}, 12n).differences, []);
  });

  it("expects outputs that a transaction under way spends, until it is mined, and then those that it returns", () => {
    const before = audited({ inProgress: [spending("t", "a")] }, [output("a")]);
    assert.deepEqual([before.differences, before.deposits, before.inProgress[0]!.mined], [[], [], false]);
    const after = audited({ inProgress: [spending("t", "a")] }, [output("t", 3n)]);
    assert.deepEqual([after.differences, after.deposits, after.inProgress[0]!.mined], [[], [], true]);
  });

  it("takes all outputs that a transaction under way spends", () => {
    const both = [
      { txid: "a", index: 0 },
      { txid: "b", index: 0 },
    ];
    const { deposits } = audited({ inProgress: [spending("t", "a", { spends: both })] }, [output("a"), output("b")]);
    assert.deepEqual(deposits, []);
  });

  it("forgets mined transactions that return nothing, which are never registered", () => {
    const refund = spending("t", "a", { returning: 0n });
    assert.equal(audited({ inProgress: [refund] }, [output("a")]).inProgress.length, 1);
    assert.equal(audited({ inProgress: [refund] }, []).inProgress.length, 0);
  });

  it("lists an output that a registered transaction should have spent", () => {
    const { differences } = audited({ spentBy: () => "t" }, [output("a")]);
    assert.deepEqual(differences, [{ kind: "unspent", txid: "a", index: 0, value: 5n, by: "t" }]);
  });

  it("distinguishes deposits that wait from rejected ones, which are no differences", () => {
    const { deposits, differences } = audited({ rejected: new Set(["b"]) }, [output("a"), output("b")]);
    assert.deepEqual(differences, []);
    assert.deepEqual(
      deposits.map(({ txid, state, height }) => [txid, state, height]),
      [
        ["a", "unregistered", 7],
        ["b", "rejected", 7],
      ],
    );
  });

  it("lists a best block that the parent chain does not have; one on a side chain is no difference", () => {
    assert.deepEqual(audited({}, [], { standing: "unknown" }).differences, [{ kind: "parent-chain", hash: "best" }]);
    assert.deepEqual(audited({}, [], { standing: "side chain" }).differences, []);
  });
});
