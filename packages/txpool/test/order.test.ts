import assert from "node:assert/strict";
import { orderForBlock } from "../src/order.js";
import { addressOf, signed } from "./support.js";

function entry(name: string, nonce: number, gasPrice: number, arrival = 0, value = 0n) {
  const transaction = signed(name, { nonce: BigInt(nonce), gasPrice: BigInt(gasPrice), value });
  return { transaction, sender: addressOf(name), arrival, label: `${name}${nonce}` };
}

const labels = (entries: { label: string }[]) => entries.map(({ label }) => label).join(" ");

describe("order for a block", () => {
  it("takes the highest-paying next transaction of any account", () => {
    const entries = [entry("B", 4, 1), entry("A", 1, 50), entry("C", 7, 7), entry("A", 0, 5), entry("B", 3, 10)];
    assert.equal(labels(orderForBlock(entries)), "B3 C7 A0 A1 B4");
  });

  it("orders equal prices by arrival", () => {
    const entries = [entry("A", 0, 5, 2), entry("B", 0, 5, 1), entry("C", 0, 5, 3)];
    assert.equal(labels(orderForBlock(entries)), "B0 A0 C0");
  });

  it("orders equal nonces by price, then by the reversed hash", () => {
    const same = Array.from({ length: 6 }, (_, i) => entry("A", 1, 5, i, BigInt(i)));
    const ordered = orderForBlock([entry("A", 1, 4), ...same, entry("A", 1, 6)]);
    assert.deepEqual([ordered[0]!.transaction.gasPrice, ordered.at(-1)!.transaction.gasPrice], [6n, 4n]);
    const reversed = ordered
      .slice(1, -1)
      .map(({ transaction }) => Buffer.from(transaction.hash).reverse().toString("hex"));
    assert.deepEqual(reversed, [...reversed].sort());
  });
});
