import { createHmac, pbkdf2Sync } from "node:crypto";
import { bigintToFixedBytes, bytesToBigint, concatBytes, SECP256K1_N, secp256k1, utf8 } from "@cambium/primitives";
import { addressOfPrivateKey } from "./private-key.js";

/** A key derived from a mnemonic. */
export interface DerivedKey {
  privateKey: Uint8Array;
  address: Uint8Array;
}

interface ExtendedKey {
  key: Uint8Array;
  chainCode: Uint8Array;
}

const ROUNDS = 2048;
const HARDENED = 0x80000000;
/** The path that wallets of Ethereum use, without the last number. */
const PATH = [44 + HARDENED, 60 + HARDENED, HARDENED, 0];

/** The first keys of a mnemonic (BIP-39, without checking its words) under m/44'/60'/0'/0 (BIP-32, BIP-44). */
export function mnemonicKeys(mnemonic: string, count: number): DerivedKey[] {
  const phrase = mnemonic.normalize("NFKD").trim().split(/\s+/).join(" ");
  const seed = pbkdf2Sync(phrase, "mnemonic", ROUNDS, 64, "sha512");
  const account = PATH.reduce(childOf, extendedKey(hmac(utf8("Bitcoin seed"), seed)));
  return Array.from({ length: count }, (_, i) => {
    const { key: privateKey } = childOf(account, i);
    return { privateKey, address: addressOfPrivateKey(privateKey) };
  });
}

function childOf({ key, chainCode }: ExtendedKey, index: number): ExtendedKey {
  const position = bigintToFixedBytes(BigInt(index), 4);
  const own = index >= HARDENED ? concatBytes(Uint8Array.of(0), key) : compressed(secp256k1.publicKey(key));
  const { key: tweak, chainCode: next } = extendedKey(hmac(chainCode, concatBytes(own, position)));
  const sum = (bytesToBigint(tweak) + bytesToBigint(key)) % SECP256K1_N;
  return { key: bigintToFixedBytes(sum, 32), chainCode: next };
}

function extendedKey(bytes: Uint8Array): ExtendedKey {
  return { key: bytes.slice(0, 32), chainCode: bytes.slice(32) };
}

function compressed(publicKey: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(2 + (publicKey[63]! & 1)), publicKey.subarray(0, 32));
}

function hmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac("sha512", key).update(data).digest());
}
