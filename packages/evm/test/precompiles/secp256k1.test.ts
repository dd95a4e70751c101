import assert from "node:assert/strict";
import { SECP256K1_N, SECP256K1_P } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { PrecompileError } from "../../src/precompiles/index.js";
import { addPoints, fastCurve, multiplyPoint, portableCurve } from "../../src/precompiles/secp256k1-curve.js";
import { gas, run, word } from "./support.js";

const V = { x: 1n, y: 0x4218f20ae6c646b363db68605822fb14264ca8d2587fdd6fbc750d587e76a7een };
const V_HEX = word(V.x) + word(V.y);
const ZERO = "00".repeat(64);

describe("secp256k1 add and multiply (spec/04 §6.6)", () => {
  it("computes the known cases", () => {
    const doubled =
      "c7ffffffffffffffffffffffffffffffffffffffffffffffffffffff37fffd03" +
      "4298c557a7ddcc570e8bf054c4cad9e99f396b3ce19d50f1b91c9df4bb00d333";
    assert.equal(run("SECP256K1_ADD", V_HEX + V_HEX), doubled);
    assert.equal(run("SECP256K1_MUL", V_HEX + word(2)), doubled);
    assert.equal(
      run("SECP256K1_MUL", V_HEX + word(9)),
      "661462d42c1cd2d65a53ef0594c2ef6c64d4035524a2326c89e978ffa1ae8119" +
        "09031ee9bf059d97a4c0260b75f27a1b69f0eec3baca15894b1f4e9924f1fda5",
    );
    assert.deepEqual([gas("SECP256K1_ADD", null), gas("SECP256K1_MUL", null)], [150, 3000]);
  });

  it("handles infinity and pads with zeros", () => {
    for (const empty of [null, "", "00"]) {
      assert.equal(run("SECP256K1_ADD", empty), ZERO);
      assert.equal(run("SECP256K1_MUL", empty), ZERO);
    }
    assert.equal(run("SECP256K1_ADD", V_HEX), V_HEX);
    assert.equal(run("SECP256K1_ADD", ZERO + V_HEX), V_HEX);
    assert.equal(run("SECP256K1_ADD", V_HEX + word(V.x) + word(SECP256K1_P - V.y)), ZERO);
    for (const scalar of [0n, SECP256K1_N]) assert.equal(run("SECP256K1_MUL", V_HEX + word(scalar)), ZERO);
    assert.equal(run("SECP256K1_MUL", V_HEX + word(SECP256K1_N + 1n)), V_HEX);
    assert.equal(run("SECP256K1_MUL", ZERO + word(7)), ZERO);
  });

  it("fails on invalid points", () => {
    for (const bad of [word(1) + word(1), word(SECP256K1_P) + word(0), word(0) + word(SECP256K1_P), "ff".repeat(64)]) {
      assert.throws(() => run("SECP256K1_ADD", V_HEX + bad), PrecompileError);
      assert.throws(() => run("SECP256K1_ADD", bad), PrecompileError);
      assert.throws(() => run("SECP256K1_MUL", bad + word(2)), PrecompileError);
    }
  });

  it("computes the same with the fast and the portable backend", () => {
    const scalar = fc.bigInt(1n, SECP256K1_N - 1n);
    fc.assert(
      fc.property(scalar, scalar, (a, b) => {
        const p = multiplyPoint(V, a, portableCurve);
        const q = multiplyPoint(V, b, portableCurve);
        assert.deepEqual(multiplyPoint(V, a, fastCurve), p);
        assert.deepEqual(addPoints(p, q, fastCurve), addPoints(p, q, portableCurve));
        assert.deepEqual(addPoints(p, p, fastCurve), addPoints(p, p, portableCurve));
      }),
      { numRuns: runs(20) },
    );
  });
});
