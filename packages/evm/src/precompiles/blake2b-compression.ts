// 64-bit words are pairs of 32-bit halves, low half first, as their little-endian bytes lie in memory.

/** Initial state of BLAKE2b (RFC 7693), halves as above. */
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

/** Message schedule: which word each mixing step of a round takes (RFC 7693, table of permutations). */
const SCHEDULE = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
].map((row) => Uint8Array.from(row, (word) => word * 2));

// Working memory of one compression; calls do not overlap.
const work = new Int32Array(32);
const message = new Int32Array(32);

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
): Uint8Array {
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
  for (let round = 0; round < rounds; round++) mixRound(SCHEDULE[round % 10]!);

  const out = state.slice();
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

function mixRound(words: Uint8Array): void {
  mix(0, 8, 16, 24, words[0]!, words[1]!);
  mix(2, 10, 18, 26, words[2]!, words[3]!);
  mix(4, 12, 20, 28, words[4]!, words[5]!);
  mix(6, 14, 22, 30, words[6]!, words[7]!);
  mix(0, 10, 20, 30, words[8]!, words[9]!);
  mix(2, 12, 22, 24, words[10]!, words[11]!);
  mix(4, 14, 16, 26, words[12]!, words[13]!);
  mix(6, 8, 18, 28, words[14]!, words[15]!);
}

/** The mixing function G on the words at a, b, c, d of the work memory and x, y of the message. */
function mix(a: number, b: number, c: number, d: number, x: number, y: number): void {
  let aLow = work[a]!;
  let aHigh = work[a + 1]!;
  let bLow = work[b]!;
  let bHigh = work[b + 1]!;
  let cLow = work[c]!;
  let cHigh = work[c + 1]!;

  let low = (aLow >>> 0) + (bLow >>> 0) + (message[x]! >>> 0);
  aHigh = (aHigh + bHigh + message[x + 1]! + ((low / 0x100000000) | 0)) | 0;
  aLow = low | 0;
  // d is rotated by 32 here: its halves change places.
  let dHigh = work[d]! ^ aLow;
  let dLow = work[d + 1]! ^ aHigh;
  low = (cLow >>> 0) + (dLow >>> 0);
  cHigh = (cHigh + dHigh + ((low / 0x100000000) | 0)) | 0;
  cLow = low | 0;
  let swap = bLow ^ cLow;
  bHigh ^= cHigh;
  bLow = (swap >>> 24) | (bHigh << 8);
  bHigh = (bHigh >>> 24) | (swap << 8);

  low = (aLow >>> 0) + (bLow >>> 0) + (message[y]! >>> 0);
  aHigh = (aHigh + bHigh + message[y + 1]! + ((low / 0x100000000) | 0)) | 0;
  aLow = low | 0;
  swap = dLow ^ aLow;
  dHigh ^= aHigh;
  dLow = (swap >>> 16) | (dHigh << 16);
  dHigh = (dHigh >>> 16) | (swap << 16);
  low = (cLow >>> 0) + (dLow >>> 0);
  cHigh = (cHigh + dHigh + ((low / 0x100000000) | 0)) | 0;
  cLow = low | 0;
  swap = bLow ^ cLow;
  bHigh ^= cHigh;
  // Rotation right by 63 is one left.
  bLow = (swap << 1) | (bHigh >>> 31);
  bHigh = (bHigh << 1) | (swap >>> 31);

  work[a] = aLow;
  work[a + 1] = aHigh;
  work[b] = bLow;
  work[b + 1] = bHigh;
  work[c] = cLow;
  work[c + 1] = cHigh;
  work[d] = dLow;
  work[d + 1] = dHigh;
}
