import { bn254 } from "@noble/curves/bn254.js";
import type { G1, G2 } from "mcl-wasm";

/** Prime of the base field. */
export const BN128_P = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
/** Order of G1, G2 and the target group. */
export const BN128_ORDER = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;

/** Affine point of G1; (0, 0) is infinity. */
export interface G1Point {
  x: bigint;
  y: bigint;
}

/** Element of the quadratic extension: real + imaginary·i with i² = -1. */
export interface Fp2 {
  real: bigint;
  imaginary: bigint;
}

/** Affine point of G2; all zeros is infinity. */
export interface G2Point {
  x: Fp2;
  y: Fp2;
}

/** Operations on valid points. */
export interface AltBn128Backend {
  readonly name: "fast" | "portable";
  add(a: G1Point, b: G1Point): G1Point;
  /** `scalar` is below the group order. */
  multiply(point: G1Point, scalar: bigint): G1Point;
  /** Whether a point on the twist, not infinity, is in the subgroup of prime order. */
  isInSubgroup(point: G2Point): boolean;
  /** Whether the product of the pairings is 1, as it is for an empty list. */
  pairingIsOne(pairs: readonly { g1: G1Point; g2: G2Point }[]): boolean;
}

/** Whether the coordinates are field elements of a point of y² = x³ + 3, or infinity. */
export function isG1Point({ x, y }: G1Point): boolean {
  if (x >= BN128_P || y >= BN128_P) return false;
  return isInfinity({ x, y }) || (y * y - x * x * x - 3n) % BN128_P === 0n;
}

/** Coefficient of the twist: 3 / (9 + i). */
const TWIST_B: Fp2 = {
  real: 0x2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5n,
  imaginary: 0x009713b03af0fed4cd2cafadeed8fdf4a74fa084e52d1852e4a2bd0685c315d2n,
};

/** Whether the coordinates are field elements of a point of order {@link BN128_ORDER} on the twist, or infinity. */
export function isG2Point(point: G2Point, backend = altBn128()): boolean {
  const { x, y } = point;
  if ([x.real, x.imaginary, y.real, y.imaginary].some((part) => part >= BN128_P)) return false;
  return isInfinity2(point) || (isOnTwist(x, y) && backend.isInSubgroup(point));
}

function isOnTwist(x: Fp2, y: Fp2): boolean {
  const left = multiplyFp2(y, y);
  const cube = multiplyFp2(multiplyFp2(x, x), x);
  return (
    (left.real - cube.real - TWIST_B.real) % BN128_P === 0n &&
    (left.imaginary - cube.imaginary - TWIST_B.imaginary) % BN128_P === 0n
  );
}

function multiplyFp2(a: Fp2, b: Fp2): Fp2 {
  return {
    real: (a.real * b.real - a.imaginary * b.imaginary) % BN128_P,
    imaginary: (a.real * b.imaginary + a.imaginary * b.real) % BN128_P,
  };
}

function isInfinity({ x, y }: G1Point): boolean {
  return x === 0n && y === 0n;
}

function isInfinity2({ x, y }: G2Point): boolean {
  return x.real === 0n && x.imaginary === 0n && y.real === 0n && y.imaginary === 0n;
}

/** Pure TypeScript; also the oracle for the fast backend's tests. */
export const portableAltBn128: AltBn128Backend = {
  name: "portable",
  add: (a, b) => fromNoble(toNoble(a).add(toNoble(b))),
  multiply: (point, scalar) => fromNoble(scalar === 0n ? bn254.G1.Point.ZERO : toNoble(point).multiplyUnsafe(scalar)),
  isInSubgroup: (point) => toNoble2(point).isTorsionFree(),
  pairingIsOne(pairs) {
    // Pairs with a point at infinity contribute 1; the library does not accept such points.
    const proper = pairs.filter(({ g1, g2 }) => !isInfinity(g1) && !isInfinity2(g2));
    if (proper.length === 0) return true;
    const product = bn254.pairingBatch(proper.map(({ g1, g2 }) => ({ g1: toNoble(g1), g2: toNoble2(g2) })));
    return bn254.fields.Fp12.eql(product, bn254.fields.Fp12.ONE);
  },
};

type NobleG1 = typeof bn254.G1.Point.BASE;
type NobleG2 = typeof bn254.G2.Point.BASE;

function toNoble(point: G1Point): NobleG1 {
  return isInfinity(point) ? bn254.G1.Point.ZERO : bn254.G1.Point.fromAffine(point);
}

function fromNoble(point: NobleG1): G1Point {
  return point.is0() ? { x: 0n, y: 0n } : point.toAffine();
}

function toNoble2({ x, y }: G2Point): NobleG2 {
  return bn254.G2.Point.fromAffine({ x: { c0: x.real, c1: x.imaginary }, y: { c0: y.real, c1: y.imaginary } });
}

let loading: Promise<AltBn128Backend | undefined> | undefined;
let fast: AltBn128Backend | undefined;

/**
 * The WebAssembly backend, undefined if WebAssembly does not load. To load it takes a tenth of a second of processor
 * time.
 */
export function loadFastAltBn128(): Promise<AltBn128Backend | undefined> {
  loading ??= openMcl().then(
    (mcl) => (fast = backendOf(mcl)),
    () => undefined,
  );
  return loading;
}

/**
 * Returns the backend: WebAssembly if it is loaded. The first use loads it unless `loadPrecompiles` did, because most
 * programs never need it. Until then the portable one gives the same results, up to eight times as slowly.
 */
export function altBn128(): AltBn128Backend {
  if (fast !== undefined) return fast;
  void loadFastAltBn128();
  return portableAltBn128;
}

type Mcl = typeof import("mcl-wasm");

async function openMcl(): Promise<Mcl> {
  const mcl = await import("mcl-wasm");
  await mcl.init(mcl.BN_SNARK1);
  // Disables the check of the order for every parsed point; isInSubgroup checks it once.
  mcl.verifyOrderG2(false);
  return mcl;
}

// Points are passed as text: the library's byte form is compressed, and decoding it would cost a square root.

function backendOf(mcl: Mcl): AltBn128Backend {
  const scalarElement = new mcl.Fr();
  const toMcl = (point: G1Point): G1 => {
    const out = new mcl.G1();
    out.setStr(isInfinity(point) ? "0" : `1 ${point.x.toString(16)} ${point.y.toString(16)}`, 16);
    return out;
  };
  const toMcl2 = (point: G2Point): G2 => {
    const { x, y } = point;
    const out = new mcl.G2();
    const parts = [x.real, x.imaginary, y.real, y.imaginary];
    out.setStr(isInfinity2(point) ? "0" : `1 ${parts.map((part) => part.toString(16)).join(" ")}`, 16);
    return out;
  };
  return {
    name: "fast",
    add: (a, b) => fromMcl(mcl.add(toMcl(a), toMcl(b))),
    multiply(point, scalar) {
      scalarElement.setStr(scalar.toString(16), 16);
      return fromMcl(mcl.mul(toMcl(point), scalarElement));
    },
    isInSubgroup: (point) => toMcl2(point).isValidOrder(),
    pairingIsOne(pairs) {
      const [first, ...others] = pairs.map(({ g1, g2 }) => mcl.millerLoop(toMcl(g1), toMcl2(g2)));
      if (first === undefined) return true;
      return mcl.finalExp(others.reduce((product, factor) => mcl.mul(product, factor), first)).isOne();
    },
  };
}

function fromMcl(point: G1): G1Point {
  const [, x, y] = point.getStr(16).split(" ");
  return x === undefined || y === undefined ? { x: 0n, y: 0n } : { x: BigInt(`0x${x}`), y: BigInt(`0x${y}`) };
}
