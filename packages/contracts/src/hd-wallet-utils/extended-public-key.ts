import { createHmac } from "node:crypto";
import {
  type AbiText,
  bytesToBigint,
  decodeBase58Check,
  encodeBase58Check,
  hash160,
  SECP256K1_N,
  secp256k1,
} from "@cambium/primitives";
import { Point } from "@noble/secp256k1";

/** A BIP-32 public key. */
export interface ExtendedPublicKey {
  /** Four bytes that identify the parent-chain network. */
  readonly version: number;
  /** One byte, 0 to 255, which wraps around. */
  readonly depth: number;
  readonly parentFingerprint: Uint8Array;
  readonly childNumber: number;
  readonly chainCode: Uint8Array;
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array;
}

/** Version by the text's first characters: parent-chain main and test. */
const VERSIONS: Readonly<Record<string, number>> = { xpub: 0x0488b21e, tpub: 0x043587cf };
const LENGTH = 78;
/** Longer text that starts with `xpub` or `tpub` cannot decode to {@link LENGTH} bytes and a checksum. */
const LONGEST_TEXT = 112;

/** Decodes the base58check form (`spec/04 §6.8`); undefined if the text is not a valid extended public key. */
export function parseExtendedPublicKey(argument: AbiText): ExtendedPublicKey | undefined {
  // Valid text is ASCII, so the limit holds for its bytes, too.
  if (argument.bytes.length > LONGEST_TEXT) return undefined;
  const text = argument.toString();
  const version = VERSIONS[text.slice(0, 4)];
  if (version === undefined) return undefined;
  const bytes = decodeBase58Check(text);
  if (bytes === undefined || bytes.length !== LENGTH) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const publicKey = bytes.slice(45);
  if (view.getUint32(0) !== version || secp256k1.decompress(publicKey) === undefined) return undefined;
  return {
    version,
    depth: bytes[4]!,
    parentFingerprint: bytes.slice(5, 9),
    childNumber: view.getUint32(9),
    chainCode: bytes.slice(13, 45),
    publicKey,
  };
}

/** Encodes the base58check form. */
export function formatExtendedPublicKey(key: ExtendedPublicKey): string {
  const bytes = new Uint8Array(LENGTH);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, key.version);
  bytes[4] = key.depth;
  bytes.set(key.parentFingerprint, 5);
  view.setUint32(9, key.childNumber);
  bytes.set(key.chainCode, 13);
  bytes.set(key.publicKey, 45);
  return encodeBase58Check(bytes);
}

/** Non-hardened child `index` (BIP-32, CKDpub); undefined in the improbable case that it does not exist. */
export function deriveChild(parent: ExtendedPublicKey, index: number): ExtendedPublicKey | undefined {
  const data = new Uint8Array(37);
  data.set(parent.publicKey);
  new DataView(data.buffer).setUint32(33, index);
  const digest = createHmac("sha512", parent.chainCode).update(data).digest();
  const publicKey = addToPoint(parent.publicKey, digest.subarray(0, 32));
  if (publicKey === undefined) return undefined;
  return {
    version: parent.version,
    depth: (parent.depth + 1) & 0xff,
    parentFingerprint: hash160(parent.publicKey).slice(0, 4),
    childNumber: index,
    chainCode: new Uint8Array(digest.subarray(32)),
    publicKey,
  };
}

/** Compressed form of `point + scalar·G`; undefined if the scalar exceeds the group order or the sum is infinity. */
function addToPoint(point: Uint8Array, scalarBytes: Uint8Array): Uint8Array | undefined {
  const scalar = bytesToBigint(scalarBytes);
  if (scalar >= SECP256K1_N) return undefined;
  if (scalar === 0n) return point;
  // Square root and multiplication are the expensive parts, so the fast backend computes them.
  const sum = toPoint(secp256k1.decompress(point)!).add(toPoint(secp256k1.publicKey(scalarBytes)));
  return sum.is0() ? undefined : sum.toBytes(true);
}

/** The point of a 64-byte public key. */
function toPoint(key: Uint8Array): Point {
  return Point.fromAffine({ x: bytesToBigint(key.subarray(0, 32)), y: bytesToBigint(key.subarray(32)) });
}
