import assert from "node:assert/strict";
import { encodeRlp, fromHex, StrictRlp } from "@cambium/primitives";

class Refused extends Error {}

const { readSignedInt, readUint, readWhole, readWholeList } = new StrictRlp(
  (what, reason) => new Refused(`${what}: ${reason}`),
);

function malformed(run: () => unknown, reason = /./): void {
  assert.throws(run, (error) => error instanceof Refused && reason.test(error.message));
}

const list = (hex: string, limit = 10) => readWholeList(fromHex(hex), "test", limit);

describe("strict RLP", () => {
  it("refuses lengths that are not minimal", () => {
    assert.equal(list("c101").length, 1);
    malformed(() => list("c28101"), /canonical/);
    malformed(() => list("f80101"), /canonical/);
    malformed(() => list(`f90038${"80".repeat(56)}`, 60), /canonical/);
    assert.equal(list(`f838${"80".repeat(56)}`, 60).length, 56);
    malformed(() => list(`b80100`), /canonical/);
  });

  it("refuses truncated data, trailing bytes and overflowing lengths", () => {
    for (const hex of ["", "c2", "c281", "c10101", "ff0000000000000000", "fbffffffff", "f8"])
      malformed(() => list(hex));
    malformed(() => list("80"), /not a list/);
  });

  it("stops at the limit of items", () => {
    assert.equal(list("c3808080", 3).length, 3);
    malformed(() => list("c3808080", 2), /more than 2/);
  });

  it("accepts any depth of nesting", () => {
    let nested: Uint8Array = fromHex("c0");
    for (let depth = 0; depth < 2000; depth++) nested = encodeRlp([{ bytes: nested }].map(() => nested));
    assert.equal(readWholeList(nested, "test", 1).length, 1);
  });

  it("reads minimally encoded numbers only", () => {
    const uint = (hex: string) => readUint(readWhole(encodeRlp(fromHex(hex)), "test"), "test");
    const signed = (hex: string) => readSignedInt(readWhole(encodeRlp(fromHex(hex)), "test"), "test", 2);
    assert.deepEqual([uint(""), uint("01"), uint("1fffffffffffff")], [0, 1, Number.MAX_SAFE_INTEGER]);
    for (const hex of ["00", "0001", "20000000000000", "0100000000000000"]) malformed(() => uint(hex));
    assert.deepEqual(["00", "7f", "0080", "7fff", "00ffff"].map(signed), [0n, 127n, 128n, 32_767n, 65_535n]);
    for (const hex of ["", "80", "ff", "0001", "000080", "010000", "00010000"]) malformed(() => signed(hex));
  });
});
