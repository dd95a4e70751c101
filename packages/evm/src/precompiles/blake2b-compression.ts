import { type Blake2bRounds, blake2bRounds } from "./blake2b-rounds.js";

/** Initial state of BLAKE2b (RFC 7693), in halves, low half first. */
const INITIAL_STATE = Int32Array.of(
  0xf3bcc908,
  0x6a09e667,
  0x84caa73b,
  0xbb67ae85,
  0xfe94f82b,
  0x3c6ef372,
  0x5f1d36f1,
  0xa54ff53a,
  0xade682d1,
  0x510e527f,
  0x2b3e6c1f,
  0x9b05688c,
  0xfb41bd6b,
  0x1f83d9ab,
  0x137e2179,
  0x5be0cd19,
);

/**
 * The BLAKE2b compression function (RFC 7693 §3.2) with `rounds` rounds, an unsigned 32-bit number. `state` has 64
 * bytes, `block` 128, `counter` 16; all words are little-endian.
 */
export function compress(
  rounds: number,
  state: Uint8Array,
  block: Uint8Array,
  counter: Uint8Array,
  final: boolean,
  backend: Blake2bRounds = blake2bRounds,
): Uint8Array {
  const { work, message } = backend;
  readHalves(state, work, 0);
  work.set(INITIAL_STATE, 16);
  readHalves(block, message, 0);
  const count = new Int32Array(4);
  readHalves(counter, count, 0);
  for (let i = 0; i < 4; i++) work[24 + i]! ^= count[i]!;
  if (final) {
    work[28] = ~work[28]!;
    work[29] = ~work[29]!;
  }
  backend.run(rounds);

  const out = Uint8Array.from(state);
  for (let i = 0; i < 16; i++) {
    const half = work[i]! ^ work[16 + i]!;
    for (let byte = 0; byte < 4; byte++) out[i * 4 + byte]! ^= half >>> (8 * byte);
  }
  return out;
}

function readHalves(bytes: Uint8Array, out: Int32Array, start: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i * 4 < bytes.length; i++) out[start + i] = view.getInt32(i * 4, true);
}
