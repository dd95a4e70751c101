import { keccak256, publicKeyToAddress, secp256k1, toHex, utf8 } from "@cambium/primitives";

/** Names whose hash is a private key, according to `meta.keys` of the traces; numbered names are unlimited there. */
const NAMES: readonly string[] = [
  ...Array.from({ length: 40 }, (_, i) => [`federator${i + 1}`, `user${i + 1}`]).flat(),
  ...Array.from("abcdefghijklmnopqrstuvwxyz", (letter) => `auth-${letter}`),
  "auth-fee-per-kb",
  "auth-increase_locking_cap",
  "auth-lock-whitelist",
];

let known: ReadonlyMap<string, Uint8Array> | undefined;

/** Public key (64 bytes) of a sender in a trace, which contains only its address. */
export function publicKeyOf(address: Uint8Array): Uint8Array | undefined {
  known ??= new Map(
    NAMES.map((name) => secp256k1.publicKey(keccak256(utf8(name)))).map((key) => [toHex(publicKeyToAddress(key)), key]),
  );
  return known.get(toHex(address));
}
