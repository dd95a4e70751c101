import assert from "node:assert/strict";
import { HeldBytes } from "../../src/transport/held-bytes.js";

const MIB = 2 ** 20;

describe("bytes held by all connections", () => {
  const holder = (held: HeldBytes, name: string, released: string[]) => {
    const own = { release: () => void released.push(name), hold: (bytes: number) => held.set(own, bytes) };
    return own;
  };

  it("are bounded by closing the connections that hold most", () => {
    const held = new HeldBytes(10 * MIB);
    const released: string[] = [];
    const [large, small, other] = ["large", "small", "other"].map((name) => holder(held, name, released));
    large!.hold(6 * MIB);
    small!.hold(4 * MIB);
    assert.deepEqual(released, []);
    other!.hold(MIB);
    assert.deepEqual(released, ["large"]);
    assert.equal(held.total, 5 * MIB);
    small!.hold(MIB);
    other!.hold(11 * MIB);
    assert.deepEqual(released, ["large", "other"]);
    small!.hold(0);
    assert.equal(held.total, 0);
  });

  it("do not include what every connection needs", () => {
    const held = new HeldBytes(MIB);
    for (let i = 0; i < 100; i++) holder(held, `${i}`, []).hold(64 * 1024);
    assert.equal(held.total, 0);
  });
});
