import assert from "node:assert/strict";
import { bytesToBigint, fromHex, reverseBytes } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { compress } from "../../src/precompiles/blake2b-compression.js";
import { fastRounds, portableRounds } from "../../src/precompiles/blake2b-rounds.js";
import { PrecompileError } from "../../src/precompiles/index.js";
import { gas, run, without } from "./support.js";

const BODY =
  "48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5" +
  "d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b" +
  `616263${"00".repeat(125)}03${"00".repeat(15)}`;

const input = (rounds: number, flag: number): string =>
  rounds.toString(16).padStart(8, "0") + BODY + flag.toString(16).padStart(2, "0");

const MASK = 2n ** 64n - 1n;
const rotateRight = (value: bigint, by: bigint): bigint => ((value >> by) | (value << (64n - by))) & MASK;

/** RFC 7693 §3.2, implemented literally over bigint. */
function reference(
  rounds: number,
  state: Uint8Array,
  block: Uint8Array,
  counter: Uint8Array,
  final: boolean,
): bigint[] {
  const words = (bytes: Uint8Array): bigint[] =>
    Array.from({ length: bytes.length / 8 }, (_, i) => bytesToBigint(reverseBytes(bytes.subarray(i * 8, i * 8 + 8))));
  const primes = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n];
  const iv = primes.map((prime) => squareRoot(prime << 128n) & MASK);
  const sigma = [
    "0123456789abcdef",
    "ea489fd61c02b753",
    "b8c052fdae367194",
    "7931dcbe265a40f8",
    "905724afe1bc683d",
    "2c6a0b834d75fe19",
    "c51fed4a0763928b",
    "db7ec13950f4862a",
    "6fe9b308c2d714a5",
    "a2847615fb9e3cd0",
  ];
  const h = words(state);
  const m = words(block);
  const [t0, t1] = words(counter) as [bigint, bigint];
  const v = [...h, ...iv];
  v[12]! ^= t0;
  v[13]! ^= t1;
  if (final) v[14]! ^= MASK;
  const g = (a: number, b: number, c: number, d: number, x: bigint, y: bigint): void => {
    v[a] = (v[a]! + v[b]! + x) & MASK;
    v[d] = rotateRight(v[d]! ^ v[a]!, 32n);
    v[c] = (v[c]! + v[d]!) & MASK;
    v[b] = rotateRight(v[b]! ^ v[c]!, 24n);
    v[a] = (v[a]! + v[b]! + y) & MASK;
    v[d] = rotateRight(v[d]! ^ v[a]!, 16n);
    v[c] = (v[c]! + v[d]!) & MASK;
    v[b] = rotateRight(v[b]! ^ v[c]!, 63n);
  };
  for (let round = 0; round < rounds; round++) {
    const s = [...sigma[round % 10]!].map((digit) => m[Number.parseInt(digit, 16)]!);
    for (let i = 0; i < 4; i++) g(i, 4 + i, 8 + i, 12 + i, s[2 * i]!, s[2 * i + 1]!);
    for (let i = 0; i < 4; i++)
      g(i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4), s[8 + 2 * i]!, s[9 + 2 * i]!);
  }
  return h.map((value, i) => value ^ v[i]! ^ v[i + 8]!);
}

function squareRoot(value: bigint): bigint {
  let root = 1n << 80n;
  for (let next = (root + value / root) / 2n; next < root; next = (root + value / root) / 2n) root = next;
  return root;
}

describe("BLAKE2F (spec/04 §6.5)", () => {
  it("computes the known cases", () => {
    const cases: [number, number, string][] = [
      [
        0,
        1,
        "08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5" +
          "d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b",
      ],
      [
        12,
        1,
        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1" +
          "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923",
      ],
      [
        12,
        0,
        "75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d28752" +
          "98743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735",
      ],
      [
        1,
        1,
        "b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fb" +
          "a551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421",
      ],
    ];
    for (const [rounds, flag, expected] of cases) {
      assert.equal(run("BLAKE2F", input(rounds, flag)), expected);
      assert.equal(gas("BLAKE2F", input(rounds, flag)), rounds);
    }
    assert.equal(gas("BLAKE2F", input(0xffffffff, 1)), 0xffffffff);
  });

  it("fails on an invalid flag, and on an invalid length at no cost", () => {
    assert.throws(() => run("BLAKE2F", input(12, 2)), PrecompileError);
    for (const data of ["", input(12, 1).slice(2), `${input(12, 1)}00`]) {
      assert.equal(gas("BLAKE2F", data), 0);
      assert.throws(() => run("BLAKE2F", data), PrecompileError);
    }
  });

  it("cannot price absent data before RSKIP-552", () => {
    assert.throws(() => gas("BLAKE2F", null, without("rskip552")), PrecompileError);
    assert.equal(gas("BLAKE2F", null), 0);
    assert.throws(() => run("BLAKE2F", null), PrecompileError);
  });

  it("agrees with the definition over bigint, with both backends", () => {
    assert.ok(fastRounds);
    const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(fc.nat(25), bytes(64), bytes(128), bytes(16), fc.boolean(), (rounds, h, m, t, final) => {
        const output = compress(rounds, h, m, t, final, portableRounds);
        const expected = reference(rounds, h, m, t, final)
          .map((value) => reverseBytes(fromHex(value.toString(16).padStart(16, "0"))))
          .flatMap((part) => [...part]);
        assert.deepEqual([...output], expected);
        assert.deepEqual(compress(rounds, h, m, t, final, fastRounds), output);
      }),
      { numRuns: runs(60) },
    );
  });
});
