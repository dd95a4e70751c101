import { createRequire } from "node:module";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import * as noble from "@noble/secp256k1";
import { bigintToFixedBytes, bytesToBigint, concatBytes } from "../bytes.js";
import { keccak256 } from "./keccak.js";

noble.hashes.sha256 = sha256;
noble.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message);

/** Order of the group. */
export const SECP256K1_N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Prime of the field. */
export const SECP256K1_P = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn;

/** An ECDSA signature over a 32-byte message hash; `recovery` is 0 or 1. */
export interface Signature {
  r: bigint;
  s: bigint;
  recovery: number;
}

/** One secp256k1 implementation. Public keys are 64 bytes (X then Y) unless stated otherwise. */
export interface Secp256k1Backend {
  readonly name: "fast" | "portable";
  /**
   * Recovers the key of `signature` (r then s, 64 bytes); undefined if there is none or it is the point at infinity.
   */
  recover(hash: Uint8Array, signature: Uint8Array, recovery: number): Uint8Array | undefined;
  /** Deterministic low-s signature (RFC 6979). */
  sign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recovery: number };
  publicKey(privateKey: Uint8Array): Uint8Array;
  /**
   * Returns the X coordinate, 32 bytes, of the product of a public and a private key, which is the shared secret of
   * their owners. Undefined if the public key is not a curve point. The duration does not depend on the private key.
   */
  agree(publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array | undefined;
  /** 64-byte form of a 33- or 65-byte public key, undefined if it is not a curve point. */
  decompress(publicKey: Uint8Array): Uint8Array | undefined;
}

/** First byte of an uncompressed public key. */
const UNCOMPRESSED = Uint8Array.of(4);

export const portableSecp256k1: Secp256k1Backend = {
  name: "portable",
  recover(hash, signature, recovery) {
    try {
      const bytes = new Uint8Array(65);
      bytes[0] = recovery;
      bytes.set(signature, 1);
      const key = noble.recoverPublicKey(bytes, hash, { prehash: false });
      return noble.Point.fromBytes(key).toBytes(false).subarray(1);
    } catch {
      return undefined;
    }
  },
  sign(hash, privateKey) {
    const bytes = noble.sign(hash, privateKey, { prehash: false, format: "recovered", lowS: true });
    return { signature: bytes.slice(1), recovery: bytes[0]! };
  },
  publicKey: (privateKey) => noble.getPublicKey(privateKey, false).subarray(1),
  agree(publicKey, privateKey) {
    try {
      return noble.getSharedSecret(privateKey, concatBytes(UNCOMPRESSED, publicKey)).subarray(1);
    } catch {
      return undefined;
    }
  },
  decompress(publicKey) {
    try {
      return noble.Point.fromBytes(publicKey).toBytes(false).subarray(1);
    } catch {
      return undefined;
    }
  },
};

interface NativeBinding {
  ecdsaRecover(
    signature: Uint8Array,
    recovery: number,
    hash: Uint8Array,
    compressed: boolean,
    output: Uint8Array,
  ): Uint8Array;
  ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array;
  publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array;
  ecdh(
    publicKey: Uint8Array,
    privateKey: Uint8Array,
    options: { hashfn: (x: Uint8Array, y: Uint8Array) => Uint8Array },
    output: Uint8Array,
  ): Uint8Array;
}

/** Native backend, undefined if its prebuilt binary does not load. */
export const fastSecp256k1: Secp256k1Backend | undefined = loadFastSecp256k1();

function loadFastSecp256k1(): Secp256k1Backend | undefined {
  const require = createRequire(import.meta.url);
  let native: NativeBinding;
  try {
    native = require("secp256k1/bindings") as NativeBinding;
  } catch {
    return undefined;
  }
  /**
   * Reused buffer for the result. Native code needs memory outside of V8's heap, whose allocation costs more than a
   * copy of the key.
   */
  const recovered = new Uint8Array(65);
  return {
    name: "fast",
    recover(hash, signature, recovery) {
      try {
        return native.ecdsaRecover(signature, recovery, hash, false, recovered).slice(1);
      } catch {
        return undefined;
      }
    },
    sign(hash, privateKey) {
      const { signature, recid } = native.ecdsaSign(hash, privateKey);
      return { signature, recovery: recid };
    },
    publicKey: (privateKey) => native.publicKeyCreate(privateKey, false).subarray(1),
    agree(publicKey, privateKey) {
      try {
        const point = concatBytes(UNCOMPRESSED, publicKey);
        return native.ecdh(point, privateKey, { hashfn: (x) => x }, new Uint8Array(32));
      } catch {
        return undefined;
      }
    },
    decompress(publicKey) {
      try {
        return native.publicKeyConvert(publicKey, false).subarray(1);
      } catch {
        return undefined;
      }
    },
  };
}

/** The backend chosen at start: native if it loads. */
export const secp256k1: Secp256k1Backend = fastSecp256k1 ?? portableSecp256k1;

/** Whether bytes are a private key: 32 bytes whose number is in [1, n - 1]. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  const value = bytesToBigint(bytes);
  return bytes.length === 32 && value > 0n && value < SECP256K1_N;
}

/** Low 20 bytes of keccak256(""), which recovery returns for the point at infinity (`spec/01 §3.3`). */
const INFINITY_ADDRESS = keccak256(new Uint8Array(0)).slice(12);

/**
 * Address of the key that signed `hash` (32 bytes), undefined if no key can be recovered or r and s are not both in [1,
 * n - 1]. A signature whose key is the point at infinity gives `dcc703c0e500b653ca82273b7bfad8045d85a470`, as in the
 * deployed client (`spec/01 §3.3`).
 */
export function recoverAddress(
  hash: Uint8Array,
  signature: Signature,
  backend: Secp256k1Backend = secp256k1,
): Uint8Array | undefined {
  const { r, s, recovery } = signature;
  if (r <= 0n || r >= SECP256K1_N || s <= 0n || s >= SECP256K1_N) return undefined;
  const bytes = new Uint8Array(64);
  bytes.set(bigintToFixedBytes(r, 32), 0);
  bytes.set(bigintToFixedBytes(s, 32), 32);
  const key = backend.recover(hash, bytes, recovery);
  if (key !== undefined) return keccak256(key).slice(12);
  return recoversInfinity(hash, signature, backend) ? INFINITY_ADDRESS : undefined;
}

/**
 * Whether s·R equals e·G, which makes the recovered key the point at infinity. R is then (e / s)·G, a single
 * multiplication by the fast backend, so deliberately failing signatures cost no more than others. Only called if
 * recovery failed.
 */
function recoversInfinity(hash: Uint8Array, { r, s, recovery }: Signature, backend: Secp256k1Backend): boolean {
  const e = bytesToBigint(hash) % SECP256K1_N;
  if (e === 0n) return false;
  const point = backend.publicKey(bigintToFixedBytes((e * invertModN(s)) % SECP256K1_N, 32));
  return bytesToBigint(point.subarray(0, 32)) === r && (point[63]! & 1) === (recovery & 1);
}

/** Inverse modulo the group order, by the extended Euclidean algorithm. */
function invertModN(value: bigint): bigint {
  let [a, b, x, y] = [value, SECP256K1_N, 1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b] = [b, a - quotient * b];
    [x, y] = [y, x - quotient * y];
  }
  return x < 0n ? x + SECP256K1_N : x;
}

/** Signs a 32-byte hash with a deterministic low-s signature. */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): Signature {
  const { signature, recovery } = secp256k1.sign(hash, privateKey);
  return {
    r: bytesToBigint(signature.subarray(0, 32)),
    s: bytesToBigint(signature.subarray(32)),
    recovery,
  };
}
