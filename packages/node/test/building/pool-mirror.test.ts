import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import { Transaction } from "@cambium/types";
import { PoolMirror, PoolMirrorSender } from "../../src/building/pool-mirror.js";
import { transfer } from "./support.js";

const hashes = (transactions: readonly Transaction[]) => transactions.map(({ hash }) => toHex(hash));

describe("the mirror of the pool", () => {
  const all = Array.from({ length: 5 }, (_, nonce) => transfer("cow", { nonce: BigInt(nonce) }));
  const [a, b, c, d, e] = all as [Transaction, Transaction, Transaction, Transaction, Transaction];

  it("has the pool's order, and receives each transaction once", () => {
    const sender = new PoolMirrorSender();
    const mirror = new PoolMirror(NETWORKS.local);
    const steps: [Transaction[], number][] = [
      [[], 0],
      [[a, b, c], 3],
      [[c, b, a], 0],
      [[d, b, e], 2],
      [[b, e], 0],
      [[a, b, c, d, e], 3],
    ];
    for (const [ordered, added] of steps) {
      const update = sender.update(ordered);
      assert.equal(update.sizes.length, added);
      assert.deepEqual(hashes(mirror.apply(structuredClone(update))), hashes(ordered));
    }
  });

  it("adopts senders that are known, and recovers no others", () => {
    void a.sender;
    const unknown = Transaction.decode(b.encoded);
    const mirrored = new PoolMirror(NETWORKS.local).apply(new PoolMirrorSender().update([a, unknown]));
    assert.deepEqual(
      mirrored.map(({ hasSender }) => hasSender),
      [true, false],
    );
    assert.deepEqual(mirrored[0]!.sender, a.sender);
    assert.deepEqual(mirrored[1]!.sender, b.sender);
  });

  it("agrees again after an update that was lost", () => {
    const sender = new PoolMirrorSender();
    const mirror = new PoolMirror(NETWORKS.local);
    mirror.apply(sender.update([a, b]));
    sender.update([c, a]);
    sender.forget();
    assert.deepEqual(hashes(mirror.apply(sender.update([d, c, a]))), hashes([d, c, a]));
    assert.equal(sender.update([a, d]).sizes.length, 0);
  });
});
