import assert from "node:assert/strict";
import { fc, runs } from "@cambium/test-utils/properties";
import {
  bigintToFixedBytes,
  bytesToBigint,
  concatBytes,
  fastSecp256k1,
  fromHex,
  keccak256,
  portableSecp256k1 as portable,
  publicKeyToAddress,
  recoverAddress,
  SECP256K1_N,
  SECP256K1_P,
  signHash,
  toHex,
} from "../src/index.js";

const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
const key = word.filter((bytes) => bytesToBigint(bytes) > 0n && bytesToBigint(bytes) < SECP256K1_N);
const hex = (bytes: Uint8Array | undefined) => bytes && toHex(bytes);

describe("secp256k1", () => {
  const fast = fastSecp256k1!;

  it("loads the fast backend", () => assert.equal(fastSecp256k1?.name, "fast"));

  it("signs, recovers and derives identically with both backends", () => {
    fc.assert(
      fc.property(key, word, (privateKey, hash) => {
        const signed = fast.sign(hash, privateKey);
        const other = portable.sign(hash, privateKey);
        assert.equal(hex(signed.signature), hex(other.signature));
        assert.equal(signed.recovery, other.recovery);
        const publicKey = fast.publicKey(privateKey);
        assert.equal(hex(publicKey), hex(portable.publicKey(privateKey)));
        for (const backend of [fast, portable]) {
          assert.equal(hex(backend.recover(hash, signed.signature, signed.recovery)), hex(publicKey));
        }
        assert.ok(bytesToBigint(signed.signature.subarray(32)) <= SECP256K1_N / 2n);
      }),
      { numRuns: runs(25) },
    );
  });

  it("agrees on the same secret with both backends, and on none with what is no curve point", () => {
    fc.assert(
      fc.property(key, key, word, (a, b, x) => {
        const secret = hex(fast.agree(fast.publicKey(a), b));
        assert.equal(secret?.length, 64);
        for (const backend of [fast, portable]) {
          assert.equal(hex(backend.agree(fast.publicKey(b), a)), secret);
          assert.equal(backend.agree(concatBytes(x, x), a), undefined);
        }
      }),
      { numRuns: runs(10) },
    );
  });

  it("recovers the same key, or none, with both backends from any signature and recovery id", () => {
    fc.assert(
      fc.property(word, word, word, fc.nat({ max: 3 }), (hash, r, s, recovery) => {
        const signature = concatBytes(r, s);
        assert.equal(hex(fast.recover(hash, signature, recovery)), hex(portable.recover(hash, signature, recovery)));
      }),
      { numRuns: runs(60) },
    );
  });

  const bound = (value: bigint) => bigintToFixedBytes(value, 32);
  const one = bound(1n);
  it("agrees between the backends at the bounds of r, s and the hash", () => {
    const values = [
      0n,
      1n,
      2n,
      SECP256K1_N - 1n,
      SECP256K1_N,
      SECP256K1_P - SECP256K1_N - 1n,
      SECP256K1_P - 1n,
      2n ** 256n - 1n,
    ];
    for (const r of values) {
      for (const s of [0n, 1n, SECP256K1_N - 1n, SECP256K1_N]) {
        for (const recovery of [0, 1, 2, 3]) {
          for (const hash of [bound(0n), one, bound(SECP256K1_N), bound(2n ** 256n - 1n)]) {
            const signature = concatBytes(bound(r), bound(s));
            const answers = [fast, portable].map((backend) => hex(backend.recover(hash, signature, recovery)));
            assert.equal(answers[0], answers[1], `r=${r} s=${s} recovery=${recovery} hash=${toHex(hash)}`);
          }
        }
      }
    }
  });

  it("decompresses the same points with both backends", () => {
    fc.assert(
      fc.property(word, fc.constantFrom(2, 3), (x, prefix) => {
        const compressed = concatBytes(Uint8Array.of(prefix), x);
        assert.equal(hex(fast.decompress(compressed)), hex(portable.decompress(compressed)));
      }),
      { numRuns: runs(40) },
    );
    const publicKey = fast.publicKey(one);
    const uncompressed = concatBytes(Uint8Array.of(4), publicKey);
    const offCurve = Uint8Array.from(uncompressed);
    offCurve[64]! ^= 1;
    for (const backend of [fast, portable]) {
      assert.equal(hex(backend.decompress(uncompressed)), hex(publicKey));
      assert.equal(backend.decompress(offCurve), undefined);
      assert.equal(backend.decompress(new Uint8Array(33)), undefined);
      assert.equal(backend.decompress(new Uint8Array(0)), undefined);
    }
  });
});

describe("address recovery", () => {
  it("recovers the signer with either backend", () => {
    fc.assert(
      fc.property(key, word, (privateKey, hash) => {
        const signature = signHash(hash, privateKey);
        const address = hex(publicKeyToAddress(portable.publicKey(privateKey)));
        assert.equal(hex(recoverAddress(hash, signature)), address);
        assert.equal(hex(recoverAddress(hash, signature, portable)), address);
      }),
      { numRuns: runs(15) },
    );
  });

  it("returns undefined for r and s out of range", () => {
    const hash = keccak256(Uint8Array.of(1));
    for (const r of [0n, SECP256K1_N, 2n ** 256n])
      assert.equal(recoverAddress(hash, { r, s: 1n, recovery: 0 }), undefined);
    for (const s of [0n, SECP256K1_N, -1n]) assert.equal(recoverAddress(hash, { r: 1n, s, recovery: 0 }), undefined);
  });

  // spec/01 §3.3: R = k·G and s = e/k lead to the point at infinity; here k = 1 and k = 2
  it("returns the fixed address for the point at infinity, with either backend", () => {
    const gx = bytesToBigint(fromHex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"));
    const g2x = bytesToBigint(fromHex("c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"));
    const half = (SECP256K1_N + 1n) / 2n;
    const hash = keccak256(Uint8Array.of(7));
    const e = bytesToBigint(hash) % SECP256K1_N;
    for (const [r, s] of [
      [gx, e],
      [g2x, (e * half) % SECP256K1_N],
    ] as const) {
      const answers = [undefined, portable].flatMap((backend) =>
        [0, 1].map((recovery) => hex(recoverAddress(hash, { r, s, recovery }, backend))),
      );
      assert.equal(answers.filter((answer) => answer === "dcc703c0e500b653ca82273b7bfad8045d85a470").length, 2);
      assert.deepEqual(answers.slice(0, 2), answers.slice(2));
    }
  });
});
