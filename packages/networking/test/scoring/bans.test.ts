import assert from "node:assert/strict";
import { parseIp } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { NetworkingError } from "../../src/index.js";
import { contains, parseAddressBlock } from "../../src/scoring/address-block.js";
import { BanTable } from "../../src/scoring/ban-table.js";

const isBanned = (table: BanTable, text: string) => table.has(parseIp(text)!);

describe("ban table", () => {
  it("bans a block and lists it as written", () => {
    const table = new BanTable(["192.168.51.1/16"]);
    assert.ok(isBanned(table, "192.168.7.7"));
    assert.ok(!isBanned(table, "192.169.0.1"));
    assert.deepEqual(table.list(), ["192.168.51.1/16"]);
  });

  it("lists addresses before blocks, each once", () => {
    const table = new BanTable([]);
    for (const text of ["10.0.0.0/8", " 1.2.3.4 ", "1.2.3.4", "10.0.0.0/8", "2001:db8::/32", "::ffff:1.2.3.4"])
      table.add(text);
    assert.deepEqual(table.list(), ["1.2.3.4", "10.0.0.0/8", "2001:db8::/32"]);
    table.remove("::ffff:1.2.3.4");
    table.remove("9.9.9.9");
    assert.deepEqual(table.list(), ["10.0.0.0/8", "2001:db8::/32"]);
    assert.ok(isBanned(table, "2001:db8:1::5"));
    assert.ok(!isBanned(table, "2001:db9::5"));
  });

  it("distinguishes blocks of one address by their length", () => {
    const table = new BanTable(["10.0.0.1/8", "10.0.0.1/16", "10.0.0.1"]);
    assert.deepEqual(table.list(), ["10.0.0.1", "10.0.0.1/8", "10.0.0.1/16"]);
    table.remove("10.0.0.1/8");
    assert.ok(!isBanned(table, "10.9.9.9"));
    assert.ok(isBanned(table, "10.0.9.9"));
  });

  for (const text of [
    "1.2.3.4/",
    "1.2.3.4/0",
    "1.2.3.4/33",
    "1.2.3.4/x",
    "1.2.3.4/-8",
    "1.2.3.4/8/8",
    "/8",
    "127.0.0.1",
    "127.0.0.0/8",
    "::1",
    "0.0.0.0",
    "::",
    "2001:db8::/129",
    "example.org",
    "192.168.56.1/a",
    "",
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const refused = (error: unknown) =>
        error instanceof NetworkingError && error.details.code === "INVALID_ADDRESS" && error.details.text === text;
      assert.throws(() => new BanTable([]).add(text), refused);
      assert.throws(() => new BanTable([]).remove(text), refused);
      assert.throws(() => new BanTable([text]), refused);
    });
  }

  it("never bans this machine", () => {
    const table = new BanTable(["64.0.0.0/1"]);
    assert.ok(isBanned(table, "126.0.0.1"));
    assert.ok(!isBanned(table, "127.0.0.1"));
  });

  it("contains addresses with the same prefix", () => {
    const address = fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 1, max: 126 })));
    fc.assert(
      fc.property(address, address, fc.integer({ min: 1, max: 32 }), (one, other, bits) => {
        const inBits = (bytes: number[]) => bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
        const block = parseAddressBlock(`${one.join(".")}/${bits}`);
        const expected = inBits(one).slice(0, bits) === inBits(other).slice(0, bits);
        assert.equal(contains(block, parseIp(other.join("."))!), expected);
      }),
    );
  });
});
