import { compareBytes, concatBytes, hash160, secp256k1 } from "@cambium/primitives";

const PUSH_33_BYTES = Uint8Array.of(33);
/** OP_1 is one above this. */
const OP_0_OF_NUMBERS = 0x50;
const OP_CHECKMULTISIG = 0xae;

/** Hash of the redeem script `required`-of-n over compressed keys, which are sorted first (`spec/04 §6.8`). */
export function multisigScriptHash(required: number, publicKeys: readonly Uint8Array[]): Uint8Array {
  const sorted = [...publicKeys].sort(compareBytes);
  return hash160(
    concatBytes(
      Uint8Array.of(OP_0_OF_NUMBERS + required),
      ...sorted.flatMap((key) => [PUSH_33_BYTES, key]),
      Uint8Array.of(OP_0_OF_NUMBERS + sorted.length, OP_CHECKMULTISIG),
    ),
  );
}

/** Compressed form of a key of 33 or 65 bytes; undefined when it is no curve point. */
export function compressPublicKey(key: Uint8Array): Uint8Array | undefined {
  const hybrid = key.length === 65 && (key[0] === 6 || key[0] === 7);
  // A hybrid key states the parity of y in its prefix, which must be right.
  if (hybrid && (key[64]! & 1) !== (key[0]! & 1)) return undefined;
  const point = secp256k1.decompress(hybrid ? concatBytes(Uint8Array.of(4), key.subarray(1)) : key);
  if (point === undefined) return undefined;
  return concatBytes(Uint8Array.of(2 + (point[63]! & 1)), point.subarray(0, 32));
}
