import assert from "node:assert/strict";
import { fc, runs } from "@cambium/test-utils/properties";
import { bn254 } from "@noble/curves/bn254.js";
import {
  altBn128,
  BN128_ORDER,
  BN128_P,
  type Fp2,
  type G1Point,
  type G2Point,
  isG2Point,
  loadFastAltBn128,
  portableAltBn128,
} from "../../src/precompiles/alt-bn128-curve.js";
import { PrecompileError } from "../../src/precompiles/index.js";
import { gas, LATEST, run, without, word } from "./support.js";

const fast = (await loadFastAltBn128())!;

const G: G1Point = { x: 1n, y: 2n };
const INFINITY: G1Point = { x: 0n, y: 0n };

function multipleG1(scalar: bigint): G1Point {
  return portableAltBn128.multiply(G, scalar % BN128_ORDER);
}

function negate({ x, y }: G1Point): G1Point {
  return { x, y: y === 0n ? 0n : BN128_P - y };
}

function g2Of(point: typeof bn254.G2.Point.BASE): G2Point {
  const { x, y } = point.toAffine();
  return { x: { real: x.c0, imaginary: x.c1 }, y: { real: y.c0, imaginary: y.c1 } };
}

function multipleG2(scalar: bigint): G2Point {
  return g2Of(bn254.G2.Point.BASE.multiply(scalar % BN128_ORDER));
}

const hexOf1 = ({ x, y }: G1Point): string => word(x) + word(y);
const hexOfFp2 = ({ real, imaginary }: Fp2): string => word(imaginary) + word(real);
const hexOf2 = ({ x, y }: G2Point): string => hexOfFp2(x) + hexOfFp2(y);

/** Returns a point on the twist outside the group of prime order: the first x = n + i that has a y. */
function pointOutsideSubgroup(): G2Point {
  const { Fp2 } = bn254.fields;
  for (let n = 1n; ; n++) {
    const x = Fp2.fromBigTuple([n, 1n]);
    const square = Fp2.add(Fp2.mul(Fp2.sqr(x), x), bn254.G2.Point.CURVE().b);
    try {
      const y = Fp2.sqrt(square);
      return { x: { real: x.c0, imaginary: x.c1 }, y: { real: y.c0, imaginary: y.c1 } };
    } catch {
      // No square root exists: try the next x.
    }
  }
}

describe("alt_bn128 (spec/04 §6.4)", () => {
  it("adds and multiplies the known points", () => {
    assert.equal(
      run("BN128_ADD", hexOf1(G) + hexOf1(G)),
      "030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3" +
        "15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4",
    );
    assert.equal(
      run("BN128_MUL", hexOf1(G) + word(9)),
      "039730ea8dff1254c0fee9c0ea777d29a9c710b7e616683f194f18c43b43b869" +
        "073a5ffcc6fc7a28c30723d6e58ce577356982d65b833a5a5c15bf9024b43d98",
    );
    const a = {
      x: 10744596414106452074759370245733544594153395043370666422502510773307029471145n,
      y: 848677436511517736191562425154572367705380862894644942948681172815252343932n,
    };
    const b = {
      x: 1624070059937464756887933993293429854168590106605707304006200119738501412969n,
      y: 3269329550605213075043232856820720631601935657990457502777101397807070461336n,
    };
    assert.equal(
      run("BN128_ADD", hexOf1(a) + hexOf1(b)),
      "15bf2bb17880144b5d1cd2b1f46eff9d617bffd1ca57c37fb5a49bd84e53cf66" +
        "049c797f9ce0d17083deb32b5e36f2ea2a212ee036598dd7624c168993d1355f",
    );
  });

  it("has the prices of EIP-1108 and pads with zeros", () => {
    assert.deepEqual([gas("BN128_ADD", null), gas("BN128_MUL", null), gas("BN128_PAIRING", null)], [150, 6000, 45000]);
    assert.equal(gas("BN128_PAIRING", "00".repeat(383)), 79000);
    assert.equal(run("BN128_ADD", null), "00".repeat(64));
    assert.equal(run("BN128_ADD", hexOf1(G)), hexOf1(G));
    assert.equal(run("BN128_MUL", hexOf1(G)), "00".repeat(64));
  });

  it("reduces the scalar and handles infinity", () => {
    assert.equal(run("BN128_MUL", hexOf1(G) + word(BN128_ORDER)), "00".repeat(64));
    assert.equal(run("BN128_MUL", hexOf1(G) + word(BN128_ORDER + 1n)), hexOf1(G));
    assert.equal(run("BN128_ADD", hexOf1(G) + hexOf1(negate(G))), "00".repeat(64));
    assert.equal(run("BN128_MUL", hexOf1(INFINITY) + word(5)), "00".repeat(64));
  });

  it("fails on invalid input, and gives empty output before RSKIP-197", () => {
    const invalid: [string, string][] = [
      ["BN128_ADD", "11".repeat(64)],
      ["BN128_ADD", word(1) + word(BN128_P + 2n)],
      ["BN128_MUL", word(BN128_P) + word(0)],
      ["BN128_PAIRING", "00".repeat(191)],
      ["BN128_PAIRING", hexOf1(INFINITY) + hexOf2(pointOutsideSubgroup())],
    ];
    for (const [name, data] of invalid) {
      assert.throws(() => run(name, data), PrecompileError);
      assert.equal(run(name, data, without("rskip197")), "");
    }
  });

  it("checks pairings", () => {
    const q = multipleG2(7n);
    const one = word(1);
    assert.equal(run("BN128_PAIRING", null), one);
    assert.equal(run("BN128_PAIRING", "00".repeat(192)), one);
    assert.equal(run("BN128_PAIRING", hexOf1(G) + hexOf2(q)), word(0));
    assert.equal(run("BN128_PAIRING", hexOf1(G) + hexOf2(q) + hexOf1(negate(G)) + hexOf2(q)), one);
    // e(6G, 7Q) = e(42G, Q)
    const left = hexOf1(multipleG1(6n)) + hexOf2(q);
    assert.equal(run("BN128_PAIRING", left + hexOf1(negate(multipleG1(42n))) + hexOf2(multipleG2(1n)), LATEST), one);
  });

  describe("fast backend against the portable one", () => {
    const scalar = fc.bigInt(0n, BN128_ORDER - 1n);

    it("is used once it is loaded", () => assert.equal(altBn128(), fast));

    it("adds and multiplies identically", () => {
      fc.assert(
        fc.property(scalar, scalar, (a, b) => {
          const [p, q] = [multipleG1(a), multipleG1(b)];
          assert.deepEqual(fast.add(p, q), portableAltBn128.add(p, q));
          assert.deepEqual(fast.add(p, p), portableAltBn128.add(p, p));
          assert.deepEqual(fast.multiply(p, b), portableAltBn128.multiply(p, b));
        }),
        { numRuns: runs(20) },
      );
    });

    it("recognises the subgroup of prime order", () => {
      const outside = pointOutsideSubgroup();
      for (const backend of [fast, portableAltBn128]) {
        assert.equal(backend.isInSubgroup(outside), false);
        assert.equal(backend.isInSubgroup(multipleG2(123456789n)), true);
        assert.equal(isG2Point(outside, backend), false);
        // A point outside the subgroup plus one inside is also outside.
        const { x, y } = outside;
        const sum = bn254.G2.Point.fromAffine({
          x: bn254.fields.Fp2.fromBigTuple([x.real, x.imaginary]),
          y: bn254.fields.Fp2.fromBigTuple([y.real, y.imaginary]),
        }).add(bn254.G2.Point.BASE);
        assert.equal(isG2Point(g2Of(sum), backend), false);
      }
    });

    it("checks pairings identically", () => {
      const factor = fc.bigInt(1n, 2n ** 64n);
      fc.assert(
        fc.property(factor, factor, fc.boolean(), (a, b, equal) => {
          const pairs = [
            { g1: multipleG1(a), g2: multipleG2(b) },
            { g1: INFINITY, g2: multipleG2(b) },
            { g1: negate(multipleG1(a * b + (equal ? 0n : 1n))), g2: multipleG2(1n) },
          ];
          assert.equal(fast.pairingIsOne(pairs), equal);
          assert.equal(portableAltBn128.pairingIsOne(pairs), equal);
        }),
        { numRuns: runs(6) },
      );
    });
  });
});
