import assert from "node:assert/strict";
import { orderForBlock } from "../src/order.js";
import { signed } from "./support.js";

function entry(name: string, nonce: number, gasPrice: number, arrival = 0) {
  const transaction = signed(name, { nonce: BigInt(nonce), gasPrice: BigInt(gasPrice) });
  return { transaction, arrival, label: `${name}${nonce}` };
}

const labels = (entries: { label: string }[]) => entries.map(({ label }) => label).join(" ");

describe("order for a block", () => {
  it("takes the highest-paying next transaction of any account", () => {
    const groups = [
      [entry("B", 3, 10), entry("B", 4, 1)],
      [entry("A", 0, 5), entry("A", 1, 50)],
      [],
      [entry("C", 7, 7)],
    ];
    assert.equal(labels(orderForBlock(groups)), "B3 C7 A0 A1 B4");
  });

  it("orders equal prices by arrival", () => {
    const groups = [[entry("A", 0, 5, 2)], [entry("B", 0, 5, 1)], [entry("C", 0, 5, 3)]];
    assert.equal(labels(orderForBlock(groups)), "B0 A0 C0");
  });
});
