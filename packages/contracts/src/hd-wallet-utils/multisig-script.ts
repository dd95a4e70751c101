import { compareBytes, hash160, joinBytes } from "@cambium/primitives";

const PUSH_33_BYTES = Uint8Array.of(33);
/** OP_1 is this plus one. */
const OP_0_OF_NUMBERS = 0x50;
const OP_CHECKMULTISIG = 0xae;

/** Hash of the `required`-of-n redeem script over the compressed keys in sorted order (`spec/04 §6.8`). */
export function multisigScriptHash(required: number, publicKeys: readonly Uint8Array[]): Uint8Array {
  const sorted = [...publicKeys].sort(compareBytes);
  return hash160(
    joinBytes([
      Uint8Array.of(OP_0_OF_NUMBERS + required),
      ...sorted.flatMap((key) => [PUSH_33_BYTES, key]),
      Uint8Array.of(OP_0_OF_NUMBERS + sorted.length, OP_CHECKMULTISIG),
    ]),
  );
}
