import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fromHex, portableSecp256k1, publicKeyToAddress, SECP256K1_N, signHash, toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { contextOf, contract, gas, run, word } from "./support.js";

const INFINITY_ANSWER = "000000000000000000000000dcc703c0e500b653ca82273b7bfad8045d85a470";

describe("ECRECOVER (spec/04 §6.2)", () => {
  const privateKey = fromHex(word(0xc0ffeen));
  const hash = fromHex(word(0xdeadbeefn));
  const address = `${"0".repeat(24)}${toHex(publicKeyToAddress(portableSecp256k1.publicKey(privateKey)))}`;
  const { r, s, recovery } = signHash(hash, privateKey);
  const call = (v: string, sHex = word(s), rHex = word(r)): string | null =>
    run("ECRECOVER", toHex(hash) + v + rHex + sHex);

  it("recovers the signer for 3000 gas", () => {
    assert.equal(call(word(27 + recovery)), address);
    assert.equal(gas("ECRECOVER", null), 3000);
  });

  it("reads only the last byte of v", () => {
    assert.equal(call("ff".repeat(31) + (27 + recovery).toString(16)), address);
    assert.equal(call(word(29)), "");
    assert.equal(call(word(0)), "");
  });

  it("accepts high s and rejects r and s outside [1, n - 1]", () => {
    assert.equal(call(word(28 - recovery), word(SECP256K1_N - s)), address);
    for (const bad of [0n, SECP256K1_N, 2n ** 256n - 1n]) {
      assert.equal(call(word(27), word(bad)), "");
      assert.equal(call(word(27), word(s), word(bad)), "");
    }
  });

  it("gives empty output below 96 bytes and pads s with zeros", () => {
    const data = toHex(hash) + word(27 + recovery) + word(r) + word(s);
    assert.equal(run("ECRECOVER", null), "");
    assert.equal(run("ECRECOVER", data.slice(0, 95 * 2)), "");
    assert.equal(run("ECRECOVER", data.slice(0, 96 * 2)), "");
    const cut = data.slice(0, 127 * 2);
    assert.equal(run("ECRECOVER", cut), run("ECRECOVER", `${cut}00`));
  });

  it("returns an address for the point at infinity", () => {
    const data = [
      "f7cf90057f86838e5efd677f4741003ab90910e4e2736ff4d7999519d162d1ed",
      word(27),
      "3fba4230c7b08aa69affd0b7425b8666eb5e7d36f9ef84efeee5ba612c8df0bc",
      "6b212d83adb8364e5519a051894f4a513b7eb68d087d710bf21e70775d31a97b",
    ].join("");
    assert.equal(run("ECRECOVER", data), INFINITY_ANSWER);
  });
});

describe("Hashes and identity (spec/04 §6.1)", () => {
  it("hashes with SHA-256", () => {
    assert.equal(run("SHA256", "112233"), "49ee2bf93aac3b1fb4117e59095e07abe555c3383b38d608da37680a406096e8");
    assert.equal(run("SHA256", null), createHash("sha256").digest("hex"));
    assert.deepEqual(
      [null, "11", "11".repeat(32), "11".repeat(33)].map((data) => gas("SHA256", data)),
      [60, 72, 72, 84],
    );
  });

  it("hashes with RIPEMD-160, left-padded", () => {
    const data = `${"00".repeat(31)}01`;
    assert.equal(run("RIPEMD160", data), "000000000000000000000000ae387fcfeb723c3f5964509af111cf5a67f30661");
    assert.deepEqual(
      [null, "11", "11".repeat(33)].map((input) => gas("RIPEMD160", input)),
      [600, 720, 840],
    );
  });

  it("agrees with the portable RIPEMD-160", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
        const output = contract("RIPEMD160").execute(data, contextOf());
        assert.deepEqual(output?.subarray(12), ripemd160(data));
      }),
    );
  });

  it("copies with IDENTITY, and returns null for absent data", () => {
    assert.equal(run("IDENTITY", null), null);
    assert.equal(run("IDENTITY", ""), "");
    const input = fromHex("010203");
    const output = contract("IDENTITY").execute(input, contextOf());
    input[0] = 9;
    assert.deepEqual(output, fromHex("010203"));
    assert.deepEqual(
      [null, "11", "11".repeat(33)].map((data) => gas("IDENTITY", data)),
      [15, 18, 21],
    );
  });
});
