import { writeFileSync } from "node:fs";
import {
  bigintToBytes,
  bytesToBigint,
  concatBytes,
  EMPTY_BYTES,
  encodeRlp,
  fromHex,
  keccak256,
  type RlpInput,
  SECP256K1_N,
  signHash,
  toHex,
} from "@cambium/primitives";

// Writes the cases of `test/vectors/transaction-fields` to a file, one per line, without the verdicts, which the
// deployed client must add.

const KEY = new Uint8Array(32).fill(0x11);
const CHAIN_ID = 33;
const TO = new Uint8Array(20).fill(7);

/** Items of a transaction, in order. */
interface Items {
  nonce: RlpInput;
  gasPrice: RlpInput;
  gasLimit: RlpInput;
  to: RlpInput;
  value: RlpInput;
  data: RlpInput;
  v?: RlpInput;
  r?: RlpInput;
  s?: RlpInput;
}

const BASE: Items = {
  nonce: Uint8Array.of(1),
  gasPrice: Uint8Array.of(1),
  gasLimit: fromHex("5208"),
  to: TO,
  value: Uint8Array.of(5),
  data: EMPTY_BYTES,
};

/** Signs the items as they are, and replaces items of the signature. */
function signed(changes: Partial<Items>, signature: Partial<Pick<Items, "v" | "r" | "s">> = {}): RlpInput[] {
  const { nonce, gasPrice, gasLimit, to, value, data } = { ...BASE, ...changes };
  const payload = [nonce, gasPrice, gasLimit, to, value, data];
  const hash = keccak256(encodeRlp([...payload, Uint8Array.of(CHAIN_ID), EMPTY_BYTES, EMPTY_BYTES]));
  const { r, s, recovery } = signHash(hash, KEY);
  const own = { v: Uint8Array.of(CHAIN_ID * 2 + 35 + recovery), r: bigintToBytes(r), s: bigintToBytes(s) };
  const used = { ...own, ...signature };
  return [...payload, used.v, used.r, used.s];
}

function* transactions(): Iterable<RlpInput[]> {
  const numbers = [
    ...["", "00", "01", "7f", "80", "ff", "0001", "0080", "000000"].map(fromHex),
    ...[31, 32, 33, 34, 64].flatMap((length) =>
      [1, 0x7f, 0x80, 0xff].map((first) => concatBytes(Uint8Array.of(first), new Uint8Array(length - 1).fill(0xff))),
    ),
    ...[32, 33, 40].map((length) => concatBytes(new Uint8Array(length), Uint8Array.of(1))),
    new Uint8Array(33),
    [],
    [Uint8Array.of(1)],
  ];
  yield signed({});
  for (const field of ["nonce", "gasPrice", "gasLimit", "value", "data"] as const) {
    for (const bytes of numbers) {
      yield signed({ [field]: bytes });
      // Unsigned.
      yield signed({ [field]: bytes }, { v: EMPTY_BYTES, r: EMPTY_BYTES, s: EMPTY_BYTES });
    }
  }
  for (const length of [0, 1, 19, 20, 21, 32]) {
    yield signed({ to: new Uint8Array(length) });
    yield signed({ to: new Uint8Array(length).fill(1) });
  }
  for (let v = 0; v < 256; v++) yield signed({}, { v: Uint8Array.of(v) });
  for (const v of [EMPTY_BYTES, Uint8Array.of(0, 27), Uint8Array.of(101, 0), [], [Uint8Array.of(27)]])
    yield signed({}, { v });
  const edges = [1n, 2n, SECP256K1_N / 2n, SECP256K1_N / 2n + 1n, SECP256K1_N - 1n].map(bigintToBytes);
  const others = [0n, SECP256K1_N, SECP256K1_N + 1n, 2n ** 256n - 1n].map(bigintToBytes);
  for (const r of [...edges, ...others, ...numbers]) yield signed({}, { r });
  for (const s of [...edges, ...numbers.filter((one) => !(one instanceof Uint8Array) || hasInverse(one))]) {
    yield signed({}, { s });
  }
  for (const bytes of numbers) {
    yield signed({}, { r: bytes, v: EMPTY_BYTES });
    yield signed({}, { s: bytes, v: EMPTY_BYTES });
  }
  const whole = signed({});
  for (const length of [0, 1, 6, 8]) yield whole.slice(0, length);
  yield [...whole, EMPTY_BYTES];
}

/**
 * Whether a value of s is one that ECDSA can produce, or is too long. The deployed client recovers a key for other
 * values too, and refuses the block when it executes the transaction.
 */
function hasInverse(s: Uint8Array): boolean {
  const value = bytesToBigint(s);
  return (value > 0n && value < SECP256K1_N) || value >= 2n ** 256n;
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: write.ts FILE");
const lines = [...transactions()].map((items) => JSON.stringify({ transaction: toHex(encodeRlp(items)) }));
writeFileSync(path, `${lines.join("\n")}\n`);
