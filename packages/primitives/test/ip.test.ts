import assert from "node:assert/strict";
import { hostOfIp, isPublicIp, networkOfIp, parseIp, subnetOfIp } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";

describe("IP addresses", () => {
  for (const [text, canonical] of [
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["::FFFF:a00:1", "10.0.0.1"],
    ["2001:DB8:0:0:1::", "2001:db8:0:0:1::"],
    ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
    ["fe80::1%eth0", "fe80::1"],
  ] as const) {
    it(`${text} is ${canonical}`, () => assert.equal(parseIp(text)?.text, canonical));
  }

  for (const text of ["", "localhost", "example.org", "1.2.3", "1.2.3.256", "01.2.3.4", "1::2::3", "10.0.0.1 "]) {
    it(`${JSON.stringify(text)} is none`, () => assert.equal(parseIp(text), undefined));
  }

  it("have the bytes of their text", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const ip = parseIp(text)!;
        assert.deepEqual(parseIp(ip.text), ip);
        assert.ok(ip.bytes.length === 16 || ip.bytes.length === 4);
      }),
    );
    const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, (all) => {
        fc.pre(all[0] !== 0);
        const { bytes } = parseIp(all.map((group) => group.toString(16)).join(":"))!;
        assert.deepEqual(
          Array.from({ length: 8 }, (_, i) => bytes[2 * i]! * 256 + bytes[2 * i + 1]!),
          all,
        );
      }),
    );
  });

  it("belong to hosts", () => {
    assert.notEqual(hostOfIp("1.2.3.4"), hostOfIp("1.2.3.5"));
    assert.equal(hostOfIp("::ffff:1.2.3.4"), hostOfIp("1.2.3.4"));
    assert.equal(hostOfIp("2001:db8:0:1::1"), hostOfIp("2001:db8:0:1:2:3:4:5"));
    assert.notEqual(hostOfIp("2001:db8:0:1::1"), hostOfIp("2001:db8:0:2::1"));
  });

  it("belong to networks", () => {
    assert.equal(networkOfIp("1.2.3.4"), networkOfIp("::ffff:1.2.3.200"));
    assert.notEqual(networkOfIp("1.2.3.4"), networkOfIp("1.2.4.4"));
    assert.equal(networkOfIp("2001:db8:0:1::1"), networkOfIp("2001:db8:0:ffff::1"));
    assert.notEqual(networkOfIp("2001:db8:0::1"), networkOfIp("2001:db8:1::1"));
  });

  it("belong to subnets", () => {
    assert.equal(subnetOfIp("1.2.3.4"), subnetOfIp("1.2.200.200"));
    assert.notEqual(subnetOfIp("1.2.3.4"), subnetOfIp("1.3.3.4"));
    assert.equal(subnetOfIp("2001:db8::1"), subnetOfIp("2001:db8:ffff::1"));
    assert.equal(subnetOfIp("::ffff:1.2.3.4"), subnetOfIp("1.2.9.9"));
  });

  it("are public or not", () => {
    const inside = ["127.0.0.1", "10.1.1.1", "172.16.0.1", "172.31.0.1", "192.168.0.1", "169.254.0.1", "100.64.0.1"];
    for (const ip of [...inside, "0.0.0.0", "224.0.0.1", "::1", "fe80::1", "fc00::1"])
      assert.equal(isPublicIp(ip), false);
    for (const ip of ["8.8.8.8", "172.32.0.1", "100.63.0.1", "2600::1"]) assert.equal(isPublicIp(ip), true, ip);
  });
});
