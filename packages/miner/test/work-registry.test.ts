import assert from "node:assert/strict";
import type { BlockHeader } from "@cambium/types";
import type { BlockTemplate } from "../src/index.js";
import { type NotifyPolicy, WorkRegistry } from "../src/server/work-registry.js";

let serial = 0;

function template(parent: number, paidFees: bigint): BlockTemplate {
  const hashForMergedMining = new Uint8Array(32);
  new DataView(hashForMergedMining.buffer).setUint32(0, ++serial);
  const header = { parentHash: new Uint8Array(32).fill(parent), paidFees } as BlockHeader;
  return { header, transactions: [], uncles: [], hashForMergedMining, target: 1n };
}

/** Whether each of a series of fees on the same parent is announced. */
function notices(fees: readonly bigint[], policy?: NotifyPolicy): (boolean | undefined)[] {
  const registry = new WorkRegistry(policy);
  return fees.map((paidFees) => {
    registry.add(template(1, paidFees));
    return registry.take()?.notify;
  });
}

describe("work registry", () => {
  it("is empty at first", () => {
    assert.equal(new WorkRegistry().take(), undefined);
  });

  it("announces a new parent, and fees over 110 per cent of the last announced ones", () => {
    assert.deepEqual(notices([100n, 110n, 111n, 122n, 123n]), [true, false, true, false, true]);
    assert.deepEqual(notices([0n, 0n, 1n, 1n, 2n]), [true, false, true, false, true]);
  });

  it("announces higher fees only above the minimum value", () => {
    assert.deepEqual(notices([0n, 5n, 20n], { weiValue: 0.5, minimumFees: 5 }), [true, false, true]);
  });

  it("announces each work once", () => {
    const registry = new WorkRegistry();
    registry.add(template(1, 0n));
    assert.deepEqual([registry.take()!.notify, registry.take()!.notify], [true, false]);
    registry.add(template(2, 0n));
    assert.equal(registry.take()!.notify, true);
  });

  it("finds sixty templates that are remembered, which do not take the place of its own", () => {
    const registry = new WorkRegistry();
    const own = template(1, 0n);
    registry.add(own);
    const others = Array.from({ length: 61 }, (_, i) => template(i, 0n));
    for (const each of others) registry.remember(each);
    assert.equal(registry.current, own);
    assert.equal(registry.find(own.hashForMergedMining), own);
    assert.equal(registry.find(others[0]!.hashForMergedMining), undefined);
    assert.equal(registry.find(others[1]!.hashForMergedMining), others[1]);
    assert.equal(registry.find(others[60]!.hashForMergedMining), others[60]);
  });

  it("keeps twenty templates; adding one again does not renew it", () => {
    const registry = new WorkRegistry();
    const all = Array.from({ length: 20 }, (_, i) => template(i, 0n));
    for (const each of all) registry.add(each);
    registry.add(all[0]!);
    assert.equal(registry.find(all[0]!.hashForMergedMining), all[0]);
    registry.add(template(99, 0n));
    assert.equal(registry.find(all[0]!.hashForMergedMining), undefined);
    assert.equal(registry.find(all[1]!.hashForMergedMining), all[1]);
  });
});
