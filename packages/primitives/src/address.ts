import { bigintToBytes, concatBytes, toHex, utf8 } from "./bytes.js";
import { keccak256 } from "./crypto/keccak.js";
import { encodeRlp } from "./rlp.js";

/** Address of an uncompressed public key (64 bytes, without the 04 prefix): the low 20 bytes of its hash. */
export function publicKeyToAddress(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey).slice(12);
}

/** Address of a contract created by `sender` at `nonce` (`spec/01 §3.2`). */
export function contractAddress(sender: Uint8Array, nonce: bigint): Uint8Array {
  return keccak256(encodeRlp([sender, bigintToBytes(nonce)])).slice(12);
}

/** Address of a CREATE2 contract (`spec/04 §4.4`). */
export function contractAddress2(sender: Uint8Array, salt: Uint8Array, initCodeHash: Uint8Array): Uint8Array {
  return keccak256(concatBytes(Uint8Array.of(0xff), sender, salt, initCodeHash)).slice(12);
}

/** Mixed-case checksum address: with a chain id by RSKIP-60 (EIP-1191), without one by EIP-55. */
export function toChecksumAddress(address: Uint8Array, chainId?: number): string {
  const digits = toHex(address);
  const hash = toHex(keccak256(utf8(chainId === undefined ? digits : `${chainId}0x${digits}`)));
  let out = "0x";
  for (let i = 0; i < digits.length; i++) {
    out += Number.parseInt(hash[i]!, 16) >= 8 ? digits[i]!.toUpperCase() : digits[i]!;
  }
  return out;
}
