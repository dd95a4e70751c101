import {
  type Code,
  I32,
  I64,
  name,
  section,
  signedLeb,
  sized,
  unsignedLeb,
  vector,
  WASM_HEADER,
} from "../wasm-encoding.js";

/*
 * A WebAssembly module for Keccak-256. The available packages spend as much time around the permutation as in it, so it
 * is assembled here, without tools, which makes it comparable with FIPS 202 and its names. It has one function:
 *
 *     absorb(length, isFirst, isLast, offset)
 *
 * It absorbs `length` bytes at INPUT + `offset`: the whole message, or its next part; every part but the last consists
 * of whole blocks. After the last part, the digest is at STATE. The padding of the last block overwrites what follows
 * the message.
 */

/** Length of a block in bytes: 1600 bits of state minus twice the 256 bits of the digest. */
const RATE = 136;
const LANES = 25;
const ROUNDS = 24;

/** The memory is one page that never grows: lanes, round constants, then the message part to absorb. */
const PAGE = 0x10000;
const STATE = 0;
const CONSTANTS = 8 * LANES;
const INPUT = 512;
/** Whole blocks, leaving room for one more block of padding. */
const CAPACITY = Math.floor((PAGE - INPUT) / RATE - 2) * RATE;

export const KECCAK_LAYOUT = {
  state: STATE,
  stateLength: 8 * LANES,
  block: RATE,
  input: INPUT,
  capacity: CAPACITY,
} as const;

const NO_RESULT = 0x40;

const END: Code = [0x0b];
const LOOP: Code = [0x03, NO_RESULT];
const BLOCK: Code = [0x02, NO_RESULT];
const IF: Code = [0x04, NO_RESULT];
const IS_ZERO: Code = [0x45];
const LESS: Code = [0x49];
const NOT_LESS: Code = [0x4f];
const ADD: Code = [0x6a];
const SUBTRACT: Code = [0x6b];
const REMAINDER: Code = [0x70];
const OR: Code = [0x72];
const AND: Code = [0x83];
const XOR: Code = [0x85];
const ROTATE: Code = [0x89];

const get = (local: number): Code => [0x20, ...unsignedLeb(local)];
const set = (local: number): Code => [0x21, ...unsignedLeb(local)];
const tee = (local: number): Code => [0x22, ...unsignedLeb(local)];
const int = (value: number): Code => [0x41, ...signedLeb(BigInt(value))];
const long = (value: bigint): Code => [0x42, ...signedLeb(value)];
const branch = (depth: number): Code => [0x0c, depth];
const branchIf = (depth: number): Code => [0x0d, depth];
/** Unaligned access at the address on the stack plus a constant offset. */
const load = (offset: number): Code => [0x29, 0, ...unsignedLeb(offset)];
const loadByte = (offset: number): Code => [0x2d, 0, ...unsignedLeb(offset)];
const store = (offset: number): Code => [0x37, 0, ...unsignedLeb(offset)];
const storeByte = (offset: number): Code => [0x3a, 0, ...unsignedLeb(offset)];

// The function's parameters and locals.
const LENGTH = 0;
const IS_FIRST = 1;
const IS_LAST = 2;
const OFFSET = 3;
/** Offset from INPUT of the processed bytes, and the end of the whole blocks. */
const AT = 4;
const LIMIT = 5;
/** Byte offset of the current round's constant. */
const ROUND = 6;
/** Local A + x + 5 y holds lane (x, y) of the state, and NEXT + x + 5 y that of the next round. */
const A = 7;
const NEXT = A + LANES;
/** Five locals each: column parities, values that theta adds to a column, one plane between pi and chi. */
const C = NEXT + LANES;
const D = C + 5;
const B = D + 5;
const LONG_LOCALS = 2 * LANES + 15;

const indices = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Rotation of each lane in rho (FIPS 202, 3.2.2). */
function rotations(): number[] {
  const offsets = new Array<number>(LANES).fill(0);
  for (let t = 0, x = 1, y = 0; t < 24; t++, [x, y] = [y, (2 * x + 3 * y) % 5]) {
    offsets[x + 5 * y] = (((t + 1) * (t + 2)) / 2) % 64;
  }
  return offsets;
}

/** Values that iota adds in each round: bits of a shift register (FIPS 202, 3.2.5). */
function roundConstants(): bigint[] {
  let register = 1;
  return indices(ROUNDS).map(() => {
    let constant = 0n;
    for (let j = 0; j <= 6; j++) {
      if (register & 1) constant |= 1n << ((1n << BigInt(j)) - 1n);
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    }
    return constant;
  });
}

/**
 * One round, selected by ROUND. A loop over rounds is faster than an unrolled sequence, which exceeds the instruction
 * cache.
 */
function round(): Code {
  const rho = rotations();
  const code: number[] = [];
  for (let x = 0; x < 5; x++) {
    code.push(...get(A + x));
    for (let y = 1; y < 5; y++) code.push(...get(A + x + 5 * y), ...XOR);
    code.push(...set(C + x));
  }
  for (let x = 0; x < 5; x++) {
    code.push(...get(C + ((x + 4) % 5)), ...get(C + ((x + 1) % 5)), ...long(1n), ...ROTATE, ...XOR, ...set(D + x));
  }
  for (let y = 0; y < 5; y++) {
    for (let x = 0; x < 5; x++) {
      // Pi moves lane ((x + 3 y) mod 5, x) to this position.
      const column = (x + 3 * y) % 5;
      const lane = column + 5 * x;
      code.push(...get(A + lane), ...get(D + column), ...XOR, ...long(BigInt(rho[lane]!)), ...ROTATE, ...set(B + x));
    }
    for (let x = 0; x < 5; x++) {
      code.push(
        ...get(B + x),
        ...get(B + ((x + 1) % 5)),
        ...long(-1n),
        ...XOR,
        ...get(B + ((x + 2) % 5)),
        ...AND,
        ...XOR,
      );
      if (x === 0 && y === 0) code.push(...get(ROUND), ...load(CONSTANTS), ...XOR);
      code.push(...set(NEXT + x + 5 * y));
    }
  }
  for (let i = 0; i < LANES; i++) code.push(...get(NEXT + i), ...set(A + i));
  return code;
}

function permutation(): Code {
  const again = [...get(ROUND), ...int(8), ...ADD, ...tee(ROUND), ...int(8 * ROUNDS), ...LESS, ...branchIf(0)];
  return [...int(0), ...set(ROUND), ...LOOP, ...round(), ...again, ...END];
}

const messageEnd: Code = [...get(OFFSET), ...get(LENGTH), ...ADD];

/** Pads the last block of the message with zeros, setting 01 at the start and 80 at the end. */
function padding(): Code {
  return [
    ...[...get(LIMIT), ...int(RATE), ...ADD, ...set(LIMIT)],
    ...[...messageEnd, ...set(AT), ...LOOP, ...get(AT), ...long(0n), ...store(INPUT)],
    ...[...get(AT), ...int(8), ...ADD, ...tee(AT), ...get(LIMIT), ...LESS, ...branchIf(0), ...END],
    ...[...messageEnd, ...int(1), ...storeByte(INPUT)],
    ...[...get(LIMIT), ...get(LIMIT), ...loadByte(INPUT - 1), ...int(0x80), ...OR, ...storeByte(INPUT - 1)],
  ];
}

function absorb(): Code {
  const lanes = indices(LANES);
  const restore = lanes.flatMap((i) => [...int(0), ...load(STATE + 8 * i), ...set(A + i)]);
  const add = indices(RATE / 8).flatMap((i) => [
    ...get(A + i),
    ...get(AT),
    ...load(INPUT + 8 * i),
    ...XOR,
    ...set(A + i),
  ]);
  const keep = lanes.flatMap((i) => [...int(0), ...get(A + i), ...store(STATE + 8 * i)]);
  return [
    ...[...get(IS_FIRST), ...IS_ZERO, ...IF, ...restore, ...END],
    ...[...messageEnd, ...get(LENGTH), ...int(RATE), ...REMAINDER, ...SUBTRACT, ...set(LIMIT)],
    ...[...get(IS_LAST), ...IF, ...padding(), ...END],
    ...[...get(OFFSET), ...set(AT), ...BLOCK, ...LOOP, ...get(AT), ...get(LIMIT), ...NOT_LESS, ...branchIf(1)],
    ...[...add, ...permutation(), ...get(AT), ...int(RATE), ...ADD, ...set(AT), ...branch(0), ...END, ...END],
    ...[...keep, ...END],
  ];
}

function littleEndian(value: bigint): Code {
  return indices(8).map((i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

/** The module's bytes. It exports `absorb` and `memory`. */
export function keccakModule(): Uint8Array<ArrayBuffer> {
  const locals = vector([
    [...unsignedLeb(A - AT), I32],
    [...unsignedLeb(LONG_LOCALS), I64],
  ]);
  const constants = roundConstants().flatMap(littleEndian);
  return Uint8Array.of(
    ...WASM_HEADER,
    ...section(1, vector([[0x60, ...vector([[I32], [I32], [I32], [I32]]), ...vector([])]])),
    ...section(3, vector([[0]])),
    ...section(5, vector([[0x01, 1, 1]])),
    ...section(
      7,
      vector([
        [...name("absorb"), 0x00, 0],
        [...name("memory"), 0x02, 0],
      ]),
    ),
    ...section(10, vector([sized([...locals, ...absorb()])])),
    ...section(11, vector([[0x00, ...int(CONSTANTS), ...END, ...sized(constants)]])),
  );
}
