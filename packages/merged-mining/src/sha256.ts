import { hash } from "node:crypto";

// SHA-256 (FIPS 180-4) with access to its compression function: a compressed coinbase continues from a chaining value
// in the middle of the transaction, which no library interface supports.

/** Length in bytes of a block of the compression function. */
export const SHA256_BLOCK = 64;

const { roundConstants: K, initialState: IV } = constants();
/** Message schedule, reused by every call because hashing is synchronous and never nested. */
const W = new Int32Array(64);

/** Computes the fractional bits of cube and square roots of the first primes (FIPS 180-4 §4.2.2, §5.3.3). */
function constants(): { roundConstants: Int32Array; initialState: Int32Array } {
  const primes: bigint[] = [];
  for (let n = 2n; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0n)) primes.push(n);
  return {
    roundConstants: Int32Array.from(primes, (prime) => Number(BigInt.asIntN(32, integerRoot(prime << 96n, 3n)))),
    initialState: Int32Array.from(primes.slice(0, 8), (prime) =>
      Number(BigInt.asIntN(32, integerRoot(prime << 64n, 2n))),
    ),
  };
}

/** Returns the largest x with x^degree <= value, for values below 2^108. */
function integerRoot(value: bigint, degree: bigint): bigint {
  let root = 0n;
  for (let bit = 1n << 54n; bit > 0n; bit >>= 1n) if ((root + bit) ** degree <= value) root += bit;
  return root;
}

/** Returns a new chaining value H0..H7. */
export function initialState(): Int32Array {
  return IV.slice();
}

/** Runs the compression function over the 64 bytes at `offset`. */
export function compressBlock(state: Int32Array, data: Uint8Array, offset: number): void {
  for (let i = 0, p = offset; i < 16; i++, p += 4) {
    W[i] = (data[p]! << 24) | (data[p + 1]! << 16) | (data[p + 2]! << 8) | data[p + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const x = W[i - 15]!;
    const y = W[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    W[i] = (W[i - 16]! + s0 + W[i - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + W[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/**
 * Finishes a hash from `state` with the last bytes of a message. The padding follows the length of `tail`, as if a
 * block starts there; `totalLength` (modulo 2^61) only enters the length field (`spec/03 §3.3`).
 */
export function finishSha256(state: Int32Array, tail: Uint8Array, totalLength: bigint): Uint8Array {
  let offset = 0;
  for (; offset + SHA256_BLOCK <= tail.length; offset += SHA256_BLOCK) compressBlock(state, tail, offset);
  const rest = tail.length - offset;
  const last = new Uint8Array(rest < 56 ? SHA256_BLOCK : 2 * SHA256_BLOCK);
  last.set(tail.subarray(offset));
  last[rest] = 0x80;
  new DataView(last.buffer).setBigUint64(last.length - 8, BigInt.asUintN(64, totalLength * 8n));
  for (let i = 0; i < last.length; i += SHA256_BLOCK) compressBlock(state, last, i);
  return stateToBytes(state);
}

export function stateToBytes(state: Int32Array): Uint8Array {
  const out = new Uint8Array(32);
  const view = new DataView(out.buffer);
  for (let i = 0; i < 8; i++) view.setInt32(4 * i, state[i]!);
  return out;
}

export function stateFromBytes(bytes: Uint8Array): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 32);
  return Int32Array.from({ length: 8 }, (_, i) => view.getInt32(4 * i));
}

/** Returns the platform's SHA-256 of a whole message, which is several times faster. */
export function sha256(data: Uint8Array): Uint8Array {
  const digest = hash("sha256", data, "buffer");
  return new Uint8Array(digest.buffer, digest.byteOffset, digest.length);
}

/** Double SHA-256, in internal byte order. */
export function sha256d(data: Uint8Array): Uint8Array {
  return sha256(sha256(data));
}
