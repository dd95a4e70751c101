import assert from "node:assert/strict";
import {
  concatBytes,
  fromHex,
  hash160,
  keccak256,
  publicKeyToAddress,
  secp256k1,
  toHex,
  utf8,
} from "@cambium/primitives";
import { readPublicKey } from "../src/bitcoin/public-key.js";
import type { ParentTransaction } from "../src/bitcoin/transaction.js";
import { findSender } from "../src/peg-in/sender.js";

const POINT = secp256k1.publicKey(keccak256(utf8("key")));
const ODD = POINT[63]! & 1;
const FULL = concatBytes(Uint8Array.of(4), POINT);
const HYBRID = concatBytes(Uint8Array.of(6 + ODD), POINT);
const COMPRESSED = concatBytes(Uint8Array.of(2 + ODD), POINT.subarray(0, 32));
const NOTHING_HASHED = "dcc703c0e500b653ca82273b7bfad8045d85a470";

/** A transaction whose first input has this script and witness. */
function spending(script: Uint8Array, witness: readonly Uint8Array[] = []): ParentTransaction {
  const input = { txid: new Uint8Array(32), index: 0, script, sequence: 0, witness };
  return { version: 1, inputs: [input], outputs: [], lockTime: 0 };
}

function keySender(key: Uint8Array): ReturnType<typeof findSender> {
  return findSender(spending(concatBytes(fromHex("0151"), Uint8Array.of(key.length), key)));
}

describe("public keys of the parent chain", () => {
  it("are re-encoded in the full form if they are hybrid", () => {
    for (const [key, encoded] of [
      [COMPRESSED, COMPRESSED],
      [FULL, FULL],
      [HYBRID, FULL],
    ] as const) {
      assert.deepEqual(readPublicKey(key), { point: POINT, compressed: COMPRESSED, encoded });
    }
  });

  it("may be the point at infinity, but no other single byte", () => {
    const { point, compressed, encoded } = readPublicKey(fromHex("00"))!;
    assert.deepEqual([point, compressed, encoded].map(toHex), ["", "00", "00"]);
    for (const hex of ["", "01", "02", "0000", "04", "06"]) assert.equal(readPublicKey(fromHex(hex)), undefined, hex);
  });

  it("identify a sender by the hash of the re-encoded form", () => {
    const account = toHex(publicKeyToAddress(POINT));
    for (const [key, encoded, expected] of [
      [COMPRESSED, COMPRESSED, account],
      [FULL, FULL, account],
      [HYBRID, FULL, account],
      [fromHex("00"), fromHex("00"), NOTHING_HASHED],
    ] as const) {
      const sender = keySender(key)!;
      assert.equal(sender.kind, "key");
      assert.equal(toHex(sender.address.hash), toHex(hash160(encoded)));
      assert.equal(toHex(sender.account!), expected);
    }
  });

  it("identify a sender in a witness only if compressed", () => {
    const program = fromHex(`160014${"11".repeat(20)}`);
    const signature = fromHex("30");
    assert.equal(findSender(spending(program, [signature, COMPRESSED]))!.kind, "witness-key");
    for (const key of [FULL, HYBRID, fromHex("00")]) {
      assert.equal(findSender(spending(program, [signature, key])), undefined);
    }
    assert.throws(() => findSender(spending(program, [signature, fromHex("02")])), { code: "INVALID_PUBLIC_KEY" });
  });
});
