import assert from "node:assert/strict";
import { fromHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { decodeSignature } from "../src/bitcoin/signature.js";

/** The sequence of the integers 1 and 2 and further elements, in hex. */
function signature(more: string): string {
  const body = `020101020102${more}`;
  return `30${(body.length / 2).toString(16).padStart(2, "0")}${body}`;
}

function isSignature(hex: string): boolean {
  return decodeSignature(fromHex(hex)) !== undefined;
}

describe("DER signatures as the deployed client parses them", () => {
  it("may have more elements, which must be valid", () => {
    for (const more of [
      "",
      "020105",
      "0101ff",
      "0500",
      "0600",
      "0c03aabbcc",
      "1704aabbccdd",
      "3100",
      "3003020105",
      "2406040111040122",
      "8003aabbcc",
      "a003020105",
      "4002aabb",
      "bf8102020500",
      "1f020105",
      "30800201050000",
      "248004011124000401220000",
      "2803810100",
      "28080601010201058100",
    ]) {
      assert.equal(isSignature(signature(more)), true, more);
    }
    for (const more of [
      "02",
      "0202",
      "02020005",
      "0202ff80",
      "0100",
      "010200ff",
      "0300",
      "0301",
      "030108",
      "0700",
      "0a00",
    ]) {
      assert.equal(isSignature(signature(more)), false, more);
    }
    for (const more of ["00", "0000", "1000", "2200", "24020201", "24022400", "2800", "28028300", "0280", "30800201"]) {
      assert.equal(isSignature(signature(more)), false, more);
    }
  });

  it("parse the content of a NULL, or the odd byte of a two-byte string, as the next element", () => {
    for (const more of ["0503020105", "1e0300610500", "050202000201050a0101"]) {
      assert.equal(isSignature(signature(more)), true, more);
    }
    assert.equal(isSignature(signature("050101")), false);
    assert.equal(isSignature(signature("308005000000")), true);
    assert.equal(isSignature(signature("308005010000")), false);
  });

  it("may have an empty integer, non-minimal lengths, and bytes after the sequence", () => {
    assert.deepEqual(decodeSignature(fromHex("300502000201020000")), { r: 0n, s: 2n });
    for (const hex of [
      "30810602010102 0102",
      "3084000000060201010201 02",
      "3f10060201010201 02",
      "300602010102010200ff",
    ]) {
      assert.deepEqual(decodeSignature(fromHex(hex.replaceAll(" ", ""))), { r: 1n, s: 2n }, hex);
    }
    for (const hex of ["30850000000006020101020102", "308002010102010200", "3082000802010102010200"]) {
      assert.equal(isSignature(hex), false, hex);
    }
  });

  it("never throw, however deeply they are nested", () => {
    assert.equal(isSignature("30800201010201023080".padEnd(100_000, "3080")), false);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        decodeSignature(Uint8Array.of(0x30, bytes.length, 2, 1, 1, 2, 1, 1, ...bytes));
      }),
    );
  });
});
