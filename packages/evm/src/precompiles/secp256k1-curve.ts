import { createRequire } from "node:module";
import { bigintToFixedBytes, bytesToBigint, SECP256K1_N, SECP256K1_P } from "@cambium/primitives";
import { Point } from "@noble/secp256k1";
import { encodePoint } from "./input.js";

/** Affine point of y² = x³ + 7; (0, 0) is infinity. */
export interface CurvePoint {
  x: bigint;
  y: bigint;
}

const INFINITY: CurvePoint = { x: 0n, y: 0n };

/** Operations on valid points; neither the arguments nor the result may be infinity. */
interface CurveBackend {
  add(a: CurvePoint, b: CurvePoint): CurvePoint;
  /** `scalar` is in [1, n - 1]. */
  multiply(point: CurvePoint, scalar: bigint): CurvePoint;
}

/** Whether the coordinates are field elements of a point on the curve, or infinity. */
export function isCurvePoint({ x, y }: CurvePoint): boolean {
  if (x >= SECP256K1_P || y >= SECP256K1_P) return false;
  return isInfinity({ x, y }) || (y * y - x * x * x - 7n) % SECP256K1_P === 0n;
}

function isInfinity({ x, y }: CurvePoint): boolean {
  return x === 0n && y === 0n;
}

/** Sum of two valid points. */
export function addPoints(a: CurvePoint, b: CurvePoint, backend: CurveBackend = curve): CurvePoint {
  if (isInfinity(a)) return b;
  if (isInfinity(b)) return a;
  return a.x === b.x && a.y !== b.y ? INFINITY : backend.add(a, b);
}

/** Multiple of a valid point by any non-negative number. */
export function multiplyPoint(point: CurvePoint, scalar: bigint, backend: CurveBackend = curve): CurvePoint {
  const reduced = scalar % SECP256K1_N;
  return isInfinity(point) || reduced === 0n ? INFINITY : backend.multiply(point, reduced);
}

/** Pure TypeScript; also the oracle for the fast backend's tests. */
export const portableCurve: CurveBackend = {
  add: (a, b) => Point.fromAffine(a).add(Point.fromAffine(b)).toAffine(),
  multiply: (point, scalar) => Point.fromAffine(point).multiply(scalar, false).toAffine(),
};

interface NativeBinding {
  publicKeyCombine(keys: Uint8Array[], compressed: boolean): Uint8Array;
  publicKeyTweakMul(key: Uint8Array, tweak: Uint8Array, compressed: boolean): Uint8Array;
}

/** Native backend, undefined if its prebuilt binary does not load. */
export const fastCurve: CurveBackend | undefined = loadFastCurve();

function loadFastCurve(): CurveBackend | undefined {
  let native: NativeBinding;
  try {
    native = createRequire(import.meta.url)("secp256k1/bindings") as NativeBinding;
  } catch {
    return undefined;
  }
  return {
    add: (a, b) => fromPublicKey(native.publicKeyCombine([toPublicKey(a), toPublicKey(b)], false)),
    multiply: (point, scalar) =>
      fromPublicKey(native.publicKeyTweakMul(toPublicKey(point), bigintToFixedBytes(scalar, 32), false)),
  };
}

/** Uncompressed public key, 65 bytes. */
function toPublicKey(point: CurvePoint): Uint8Array {
  const out = new Uint8Array(65);
  out[0] = 4;
  out.set(encodePoint(point), 1);
  return out;
}

function fromPublicKey(key: Uint8Array): CurvePoint {
  return { x: bytesToBigint(key.subarray(1, 33)), y: bytesToBigint(key.subarray(33)) };
}

/** The backend chosen at start: native if it loads. */
const curve: CurveBackend = fastCurve ?? portableCurve;
