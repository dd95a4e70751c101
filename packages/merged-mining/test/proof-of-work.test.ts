import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import {
  bigintToTwosComplement,
  bytesToBigint,
  concatBytes,
  encodeRlp,
  fromHex,
  reverseBytes,
  SECP256K1_N,
  secp256k1,
  signHash,
  toHex,
} from "@cambium/primitives";
import { cpuTime } from "@cambium/test-utils/processes/cpu-time";
import type { MergedMiningFault } from "../src/errors.js";
import { verifyFallbackSignature } from "../src/fallback-signature.js";
import {
  buildParentBlock,
  canonicalParentHeader,
  compressCoinbase,
  decodeParentHeader,
  MergedMiningError,
  merkleBranch,
  parentHeaderHash,
  proofOfWorkTarget,
  sha256d,
  stripWitness,
  TAG,
  taggedCoinbase,
  taggedHash,
  transactionId,
  verifyProofOfWork,
} from "../src/index.js";
import { parentHeaderTime } from "../src/parent-header.js";
import type { ProofOfWorkInput } from "../src/proof-of-work.js";

const { main } = NETWORKS;
const now = { rskip92: true, rskip98: true, rskip180: true };
const old = { rskip92: false, rskip98: false, rskip180: false };
const HASH = sha256d(Uint8Array.of(1));
const others = [2, 3, 4, 5].map((n) => sha256d(Uint8Array.of(n)));

/** A mined input with changes applied. */
function mined(
  changes: Partial<ProofOfWorkInput> = {},
  proofFormat: "compact" | "partial" = "compact",
): ProofOfWorkInput {
  const difficulty = 1n;
  const proof = buildParentBlock({
    hashForMergedMining: HASH,
    difficulty,
    time: 1600000000,
    otherTransactionIds: others,
    proofFormat,
  });
  return { number: 1, difficulty, hashForMergedMining: HASH, ...proof, ...changes };
}

/** A mined input with this coinbase. */
function withCoinbase(coinbase: Uint8Array): ProofOfWorkInput {
  return { ...mined(), ...buildParentBlock({ hashForMergedMining: HASH, difficulty: 1n, time: 1, coinbase }) };
}

function rejects(code: MergedMiningFault["code"], input: ProofOfWorkInput, rules = now): void {
  assert.throws(
    () => verifyProofOfWork(input, rules, main),
    (error) => error instanceof MergedMiningError && error.code === code,
  );
}

describe("proof-of-work target", () => {
  // spec/03 §3.2
  for (const [difficulty, target] of [
    [0n, "55".repeat(32)],
    [1n, "55".repeat(32)],
    [2n, "55".repeat(32)],
    [3n, "55".repeat(32)],
    [4n, `40${"00".repeat(31)}`],
    [131072n, `00008${"0".repeat(59)}`],
    [550000000n, "00000007cf1caf5778cf3a0b88d20d99c2a88e6b8382cb28ca3efa051c0b13d6"],
    [7n * 10n ** 15n, "0000000000000a4b3fc8843130eaeed45f5b856d00b80642c71ca0baed05f199"],
  ] as const) {
    it(`of difficulty ${difficulty}`, () => {
      assert.equal(proofOfWorkTarget(difficulty).toString(16).padStart(64, "0"), target);
    });
  }
});

describe("proof-of-work rule", () => {
  it("accepts built proofs in both formats", () => {
    verifyProofOfWork(mined(), now, main);
    verifyProofOfWork(mined({}, "partial"), old, main);
    verifyProofOfWork(withCoinbase(taggedCoinbase(HASH)), now, main);
  });

  it("accepts a hash equal to the target and a null difficulty", () => {
    verifyProofOfWork(mined({ difficulty: null }), now, main);
    const input = mined();
    const work = bytesToBigint(reverseBytes(parentHeaderHash(input.parentChainHeader!)));
    // The largest difficulty whose target is not below the hash.
    const difficulty = (1n << 256n) / work;
    verifyProofOfWork({ ...input, difficulty }, now, main);
    rejects("TARGET", { ...input, difficulty: difficulty + 1n });
  });

  it("requires all parts of the proof", () => {
    rejects("PROOF_MISSING", mined({ merkleProof: null }));
    rejects("COINBASE_MISSING", mined({ parentChainCoinbase: null }));
    rejects("PARENT_HEADER_MISSING", mined({ parentChainHeader: null }));
    rejects("COINBASE_SIZE", mined({ parentChainCoinbase: new Uint8Array(39) }));
    rejects("PROOF_MISSING", mined({ merkleProof: null }, "partial"), old);
  });

  it("limits the length of the proof", () => {
    rejects("PROOF_TOO_LONG", mined({ merkleProof: new Uint8Array(992) }));
    rejects("PROOF_FORMAT", mined({ merkleProof: new Uint8Array(33) }));
    rejects("MERKLE_ROOT", mined({ merkleProof: new Uint8Array(960) }));
    rejects("MERKLE_ROOT", mined({ merkleProof: new Uint8Array(992) }), { ...now, rskip180: false });
  });

  it("requires a header of 80 bytes from RSKIP-98 on", () => {
    const { parentChainHeader } = mined();
    rejects("PARENT_HEADER_SIZE", mined({ parentChainHeader: parentChainHeader!.subarray(0, 79) }));
    rejects("PARENT_HEADER_SIZE", mined({ parentChainHeader: concatBytes(parentChainHeader!, Uint8Array.of(0)) }));
    rejects("PARENT_HEADER_SIZE", mined({ parentChainHeader: parentChainHeader!.subarray(0, 79) }, "partial"), old);
  });

  it("accepts a transaction list after the header before RSKIP-98", () => {
    const input = mined({}, "partial");
    const followedBy = (hex: string) => ({
      ...input,
      parentChainHeader: concatBytes(input.parentChainHeader!, fromHex(hex)),
    });
    const transaction = toHex(taggedCoinbase(HASH));
    for (const hex of ["00", `01${transaction}`, `02${transaction}${transaction}`, "00ffff", `fd0100${transaction}`]) {
      verifyProofOfWork(followedBy(hex), old, main);
    }
    for (const hex of [
      "01",
      `02${transaction}`,
      `01${transaction.slice(0, -2)}`,
      "ffffffffffffffffff",
      "fd01",
      "feffffffff",
    ]) {
      rejects("PARENT_TRANSACTIONS", followedBy(hex), old);
    }
  });

  it("checks the tag", () => {
    const script = (before: number, after: number, tag = concatBytes(TAG, HASH)) =>
      concatBytes(new Uint8Array(before).fill(0x55), tag, new Uint8Array(after).fill(0x66));
    const field = (tail: Uint8Array) => ({ ...mined(), parentChainCoinbase: concatBytes(new Uint8Array(40), tail) });
    rejects("TAG_NOT_FOUND", field(script(10, 10, concatBytes(TAG, new Uint8Array(32)))));
    rejects("TAG_TOO_FAR", field(script(64, 10)));
    rejects("TAG_NOT_LAST", field(concatBytes(script(10, 10), TAG)));
    rejects("TAG_TRAILING_BYTES", field(script(10, 129)));
    rejects("MERKLE_ROOT", field(script(63, 128)));
    rejects("COINBASE_TOO_SHORT", field(script(0, 23)));
    rejects("MERKLE_ROOT", field(script(0, 24)));
    verifyProofOfWork(withCoinbase(script(0, 128)), now, main);
    verifyProofOfWork(withCoinbase(concatBytes(TAG, script(200, 128))), now, main);
  });

  it("reads the declared byte count as signed 64-bit and hashes with it", () => {
    const input = mined();
    const declared = (hex: string) => ({
      ...input,
      parentChainCoinbase: concatBytes(fromHex(hex), input.parentChainCoinbase!.subarray(8)),
    });
    rejects("COINBASE_TOO_SHORT", declared("8000000000000000"));
    rejects("COINBASE_TOO_SHORT", declared("7fffffffffffffff"));
    rejects("MERKLE_ROOT", declared("0000000000000001"));
  });

  it("requires the coinbase among the matched leaves of a partial tree", () => {
    const leaves = others.slice(0, 2);
    const { root } = merkleBranch(leaves);
    const parentChainHeader = canonicalParentHeader(root, 1, 0);
    const tree = concatBytes(fromHex("0200000002"), ...leaves, fromHex("0107"));
    const input = mined({ parentChainHeader, merkleProof: tree, difficulty: 0n });
    const solved = solveHeader(input);
    rejects("COINBASE_NOT_PROVEN", solved, old);
  });

  it("fails if the merged-mining hash cannot be computed", () => {
    const { hashForMergedMining: _, ...rest } = mined();
    const input = Object.defineProperty({ ...rest }, "hashForMergedMining", {
      get(): Uint8Array {
        throw new Error("no tag");
      },
    }) as ProofOfWorkInput;
    rejects("MERGED_MINING_HASH", input);
  });

  it("is fast", () => {
    const input = mined({}, "compact");
    const runs = 300;
    for (let i = 0; i < runs; i++) verifyProofOfWork(input, now, main);
    const start = cpuTime();
    for (let i = 0; i < runs; i++) verifyProofOfWork(input, now, main);
    const micros = ((cpuTime() - start) * 1000) / runs;
    assert.ok(micros < 1000, `${micros} µs per verification`);
  });
});

function solveHeader(input: ProofOfWorkInput): ProofOfWorkInput {
  for (let nonce = 0; ; nonce++) {
    const { merkleRoot } = decodeParentHeader(input.parentChainHeader!);
    const parentChainHeader = canonicalParentHeader(merkleRoot, 1, nonce);
    const work = bytesToBigint(reverseBytes(parentHeaderHash(parentChainHeader)));
    if (work <= proofOfWorkTarget(0n)) return { ...input, parentChainHeader };
  }
}

describe("building parent blocks", () => {
  it("stops after the maximum number of attempts", () => {
    const request = { hashForMergedMining: HASH, difficulty: 1n << 200n, time: 1, maxAttempts: 5 };
    assert.throws(() => buildParentBlock(request), { code: "NOT_SOLVED" });
  });

  it("carries the hash after the tag and the time in the header", () => {
    const { parentChainCoinbase, parentChainHeader } = mined();
    assert.equal(toHex(taggedHash(parentChainCoinbase!)!), toHex(HASH));
    assert.equal(parentHeaderTime(parentChainHeader!), 1600000000);
    assert.throws(() => parentHeaderTime(new Uint8Array(79)), { code: "PARENT_HEADER_SIZE" });
    assert.equal(taggedHash(TAG), undefined);
  });

  it("strips witnesses", () => {
    const legacy = taggedCoinbase(HASH);
    const witness = concatBytes(
      legacy.subarray(0, 4),
      fromHex("0001"),
      legacy.subarray(4, -4),
      fromHex("0120"),
      new Uint8Array(32),
      legacy.subarray(-4),
    );
    assert.equal(toHex(stripWitness(witness)), toHex(legacy));
    assert.equal(toHex(stripWitness(legacy)), toHex(legacy));
    assert.equal(toHex(transactionId(stripWitness(witness))), toHex(transactionId(legacy)));
    assert.throws(() => stripWitness(concatBytes(witness, Uint8Array.of(0))), { code: "PARENT_TRANSACTIONS" });
    assert.throws(() => stripWitness(new Uint8Array(3)), { code: "PARENT_TRANSACTIONS" });
  });

  it("compresses a coinbase without a tag with the initial state", () => {
    const initial = "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19";
    assert.equal(toHex(compressCoinbase(fromHex("aabb"))), `${"00".repeat(8)}${initial}aabb`);
  });
});

describe("fallback signatures", () => {
  const keys = [fromHex("11".repeat(32)), fromHex("22".repeat(32))];
  const points = keys.map((key) => secp256k1.publicKey(key)) as [Uint8Array, Uint8Array];

  function field(
    change: (parts: { v: number; r: Uint8Array; s: Uint8Array }) => object = () => ({}),
    key = 0,
  ): Uint8Array {
    const { r, s, recovery } = signHash(HASH, keys[key]!);
    const parts = { v: 27 + recovery, r: bigintToTwosComplement(r), s: bigintToTwosComplement(s) };
    const { v, r: rBytes, s: sBytes } = { ...parts, ...change(parts) };
    return encodeRlp([Uint8Array.of(v), rBytes, sBytes]);
  }

  it("use the first key for even numbers and the second for odd ones", () => {
    verifyFallbackSignature(field(), HASH, 2, points);
    verifyFallbackSignature(
      field(() => ({}), 1),
      HASH,
      3,
      points,
    );
    assert.throws(() => verifyFallbackSignature(field(), HASH, 3, points), { code: "FALLBACK_SIGNATURE" });
  });

  const faults: readonly (readonly [string, Uint8Array])[] = [
    ["another hash", field(({ v }) => ({ v: v === 27 ? 28 : 27 }))],
    ["v 26", field(() => ({ v: 26 }))],
    ["v 31", field(() => ({ v: 31 }))],
    ["v 32", field(() => ({ v: 32 }))],
    ["a redundant leading zero", field(({ s }) => ({ s: concatBytes(Uint8Array.of(0), s) }))],
    ["a missing leading zero with the top bit set", field(() => ({ r: new Uint8Array(32).fill(0xff) }))],
    ["s of half the order", field(() => ({ s: bigintToTwosComplement(SECP256K1_N / 2n) }))],
    ["r of zero", field(() => ({ r: Uint8Array.of(0) }))],
    ["r empty", field(() => ({ r: new Uint8Array(0) }))],
    ["r of 34 bytes", field(() => ({ r: new Uint8Array(34).fill(1) }))],
    ["two items", encodeRlp([Uint8Array.of(27), Uint8Array.of(1)])],
    ["not a list", fromHex("80")],
    ["nothing", new Uint8Array(0)],
  ];
  for (const [name, bytes] of faults) {
    it(`reject: ${name}`, () => {
      assert.throws(() => verifyFallbackSignature(bytes, HASH, 2, points), { code: "FALLBACK_SIGNATURE" });
    });
  }

  it("replace mining only before RSKIP-98, without coinbase and proof, up to a difficulty", () => {
    const base = mined({
      parentChainHeader: field(),
      merkleProof: null,
      parentChainCoinbase: null,
      difficulty: 14n * 10n ** 15n,
      number: 2,
    });
    // The real keys did not sign this.
    rejects("FALLBACK_SIGNATURE", base, old);
    rejects("FALLBACK_SIGNATURE", { ...base, merkleProof: new Uint8Array(0) }, old);
    rejects("FALLBACK_SIGNATURE", { ...base, parentChainHeader: null }, old);
    rejects("PROOF_MISSING", { ...base, difficulty: 14n * 10n ** 15n + 1n }, old);
    rejects("PROOF_MISSING", base, now);
    rejects("COINBASE_MISSING", { ...base, merkleProof: new Uint8Array(1) }, old);
  });
});
