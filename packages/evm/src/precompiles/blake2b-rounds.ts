import { assembleBlake2bRounds } from "./blake2b-rounds-wasm.js";

// 64-bit words are pairs of 32-bit halves, low half first, which is their little-endian byte order in memory.

/** Message schedule: the word each mixing step of a round uses (RFC 7693, table of permutations). */
const SCHEDULE: readonly Uint8Array[] = [
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
].map((row) => Uint8Array.from(row));

/** Runs BLAKE2b rounds in its own memory. Calls must not overlap. */
export interface Blake2bRounds {
  readonly name: "fast" | "portable";
  /** The 16 words v in halves: input and output. */
  readonly work: Int32Array;
  /** The 16 words of the message in halves: input. */
  readonly message: Int32Array;
  /** `rounds` is an unsigned 32-bit number. */
  run(rounds: number): void;
}

const work = new Int32Array(32);
const message = new Int32Array(32);

/** Pure TypeScript; also the oracle for the fast backend's tests. */
export const portableRounds: Blake2bRounds = {
  name: "portable",
  work,
  message,
  run(rounds) {
    for (let round = 0; round < rounds; round++) mixRound(SCHEDULE[round % SCHEDULE.length]!);
  },
};

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

  let low = (aLow >>> 0) + (bLow >>> 0) + (message[2 * x]! >>> 0);
  aHigh = (aHigh + bHigh + message[2 * x + 1]! + ((low / 0x100000000) | 0)) | 0;
  aLow = low | 0;
  // A rotation of d by 32 swaps its halves.
  let dHigh = work[d]! ^ aLow;
  let dLow = work[d + 1]! ^ aHigh;
  low = (cLow >>> 0) + (dLow >>> 0);
  cHigh = (cHigh + dHigh + ((low / 0x100000000) | 0)) | 0;
  cLow = low | 0;
  let swap = bLow ^ cLow;
  bHigh ^= cHigh;
  bLow = (swap >>> 24) | (bHigh << 8);
  bHigh = (bHigh >>> 24) | (swap << 8);

  low = (aLow >>> 0) + (bLow >>> 0) + (message[2 * y]! >>> 0);
  aHigh = (aHigh + bHigh + message[2 * y + 1]! + ((low / 0x100000000) | 0)) | 0;
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
  // A right rotation by 63 is a left rotation by 1.
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

/** WebAssembly backend, about ten times as fast because it has 64-bit integers. Undefined if it does not load. */
export const fastRounds: Blake2bRounds | undefined = loadFastRounds();

function loadFastRounds(): Blake2bRounds | undefined {
  try {
    const { memory, run } = assembleBlake2bRounds(SCHEDULE);
    return { name: "fast", work: new Int32Array(memory, 0, 32), message: new Int32Array(memory, 128, 32), run };
  } catch {
    return undefined;
  }
}

/** The backend chosen at start: WebAssembly if it loads. */
export const blake2bRounds: Blake2bRounds = fastRounds ?? portableRounds;
