import { createHash } from "node:crypto";
import { compressPublicKey, concatBytes, equalBytes, secp256k1, stripLeadingZeros } from "@cambium/primitives";
import { publicKeyFromRaw } from "@libp2p/crypto/keys";
import type { Secp256k1PrivateKey, Secp256k1PublicKey } from "@libp2p/interface";

/** Tags of ASN.1. */
const INTEGER = 0x02;
const SEQUENCE = 0x30;

/**
 * Returns a private key, 32 bytes, in the form that libp2p takes (`spec/07 §D.3`). It signs the SHA-256 of a message
 * and encodes the signature in DER. A key of the library would compute tables for 50 ms at each start, and take twelve
 * times as long for the signature that each connection needs.
 */
export function libp2pKey(raw: Uint8Array): Secp256k1PrivateKey {
  const publicKey = compressPublicKey(concatBytes(Uint8Array.of(4), secp256k1.publicKey(raw)))!;
  return {
    type: "secp256k1",
    raw,
    publicKey: publicKeyFromRaw(publicKey) as Secp256k1PublicKey,
    equals: (key?: Partial<Secp256k1PrivateKey>) => key?.raw instanceof Uint8Array && equalBytes(key.raw, raw),
    sign: (data) => {
      const hash = createHash("sha256");
      for (const part of data instanceof Uint8Array ? [data] : data) hash.update(part);
      const { signature } = secp256k1.sign(hash.digest(), raw);
      const numbers = concatBytes(integer(signature.subarray(0, 32)), integer(signature.subarray(32)));
      return element(SEQUENCE, numbers);
    },
  };
}

/** Encodes an unsigned number in DER. A zero byte precedes a first bit that is set, which would mean minus. */
function integer(bytes: Uint8Array): Uint8Array {
  const digits = stripLeadingZeros(bytes);
  return element(INTEGER, digits[0]! < 0x80 ? digits : concatBytes(Uint8Array.of(0), digits));
}

/** Encodes an element with less than 128 bytes in DER. */
function element(tag: number, content: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(tag, content.length), content);
}
