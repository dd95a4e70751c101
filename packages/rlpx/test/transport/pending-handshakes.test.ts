import assert from "node:assert/strict";
import { fc } from "@cambium/test-utils/properties";
import { PendingHandshakes } from "../../src/transport/pending-handshakes.js";

/** Adds handshakes, and records which are ended to make room. */
class Pending {
  readonly ended: string[] = [];
  readonly handshakes: PendingHandshakes;

  constructor(maximum: number, perHost = maximum) {
    this.handshakes = new PendingHandshakes({ maximum, perHost });
  }

  add(...ips: string[]) {
    return ips.map((ip, i) => this.handshakes.add(ip, () => void this.ended.push(`${ip} ${i}`)));
  }
}

describe("pending handshakes", () => {
  it("of the subnet with most, and in it of the host with most, make room", () => {
    const pending = new Pending(6);
    pending.add("1.1.0.1", "2.2.0.1", "2.2.0.2", "2.2.0.2", "3.3.0.1", "3.3.0.1");
    pending.add("4.4.0.1");
    assert.deepEqual(pending.ended, ["2.2.0.2 2"]);
    pending.add("5.5.0.1");
    // Among groups of equal size, the one with the oldest handshake loses.
    assert.deepEqual(pending.ended.slice(1), ["2.2.0.1 1"]);
    pending.add("6.6.0.1", "7.7.0.1");
    assert.deepEqual(pending.ended.slice(2), ["3.3.0.1 4", "1.1.0.1 0"]);
    assert.equal(pending.handshakes.size, 6);
  });

  it("of a host are limited, the oldest making room for the newest", () => {
    const pending = new Pending(9, 2);
    pending.add("1.1.0.1", "1.1.0.1", "1.1.0.2", "1.1.0.1", "2001:db8::1", "2001:db8::2", "2001:db8::3");
    assert.deepEqual(pending.ended, ["1.1.0.1 0", "2001:db8::1 4"]);
  });

  it("that have ended need no room", () => {
    const pending = new Pending(2);
    const [first] = pending.add("1.1.0.1", "1.1.0.1");
    assert.equal(pending.handshakes.remove(first!), true);
    pending.add("2.2.0.1");
    assert.deepEqual(pending.ended, []);
    const [, evicted] = [pending.add("3.3.0.1"), first!];
    assert.equal(pending.handshakes.remove(evicted), false);
    assert.deepEqual(pending.ended, ["1.1.0.1 1"]);
  });

  it("make room only for a host and subnet with fewer", () => {
    const pending = new Pending(9);
    pending.add("1.1.0.1", "1.1.0.1", "1.1.0.1");
    assert.equal(pending.handshakes.makeRoomFor("1.1.0.1"), false);
    assert.equal(pending.handshakes.makeRoomFor("1.1.0.2"), true);
    assert.equal(pending.handshakes.makeRoomFor("2.2.0.1"), true);
    assert.equal(pending.handshakes.makeRoomFor("2.2.0.1"), false);
    assert.deepEqual(pending.ended, ["1.1.0.1 0", "1.1.0.1 1"]);
    assert.equal(new Pending(9).handshakes.makeRoomFor("1.1.0.1"), false);
  });

  it("of a host with fewer than its share stay, whatever others do", () => {
    const subnets = 4;
    const ip = fc.tuple(fc.nat(subnets - 1), fc.nat(9)).map(([subnet, host]) => `${subnet + 1}.1.0.${host}`);
    fc.assert(
      fc.property(fc.array(ip, { maxLength: 100 }), (others) => {
        const pending = new Pending(8);
        pending.add("9.9.0.1");
        pending.add(...others);
        assert.ok(!pending.ended.includes("9.9.0.1 0"));
        assert.ok(pending.handshakes.size <= 8);
      }),
    );
  });
});
