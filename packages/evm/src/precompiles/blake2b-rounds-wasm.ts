import { wasm } from "@cambium/primitives";

// A WebAssembly module of one function, assembled instruction by instruction, so that the project needs neither a
// compiler nor a binary.

// Memory layout: 16 words v, 16 words of the message, then the schedule as byte offsets of message words.
const MESSAGE = 128;
const SCHEDULE_START = 256;
const WORD = 8;

// Locals: the parameter, the position in the schedule, the words v.
const ROUNDS = 0;
const POSITION = 1;
const V = 2;

// Opcodes (WebAssembly core specification, §5).
const EMPTY_BLOCK = 0x40;
const OP = {
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  branchIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i64Load: 0x29,
  i32Load8: 0x2d,
  i64Store: 0x37,
  i32Const: 0x41,
  i64Const: 0x42,
  i32Equal: 0x46,
  i32Add: 0x6a,
  i32Subtract: 0x6b,
  i64Add: 0x7c,
  i64Xor: 0x85,
  i64RotateRight: 0x8a,
} as const;

const get = (local: number): number[] => [OP.localGet, local];
const i32 = (value: number): number[] => [OP.i32Const, ...wasm.signedLeb(BigInt(value))];
const i64 = (value: number): number[] => [OP.i64Const, ...wasm.signedLeb(BigInt(value))];
/** Operands of a memory access: alignment as a power of two, static offset. */
const access = (alignment: number, offset: number): number[] => [alignment, ...wasm.unsignedLeb(offset)];

/** Pushes the message word at `index` of the current round's schedule. */
function messageWord(index: number): number[] {
  return [
    ...get(POSITION),
    ...[OP.i32Load8, ...access(0, SCHEDULE_START + index)],
    ...[OP.i64Load, ...access(3, MESSAGE)],
  ];
}

/** v[a] += v[b] + message word. */
function addMessage(a: number, b: number, index: number): number[] {
  return [...get(a), ...get(b), OP.i64Add, ...messageWord(index), OP.i64Add, OP.localSet, a];
}

/** v[a] += v[b]. */
function add(a: number, b: number): number[] {
  return [...get(a), ...get(b), OP.i64Add, OP.localSet, a];
}

/** v[a] = (v[a] xor v[b]) rotated right. */
function xorRotate(a: number, b: number, by: number): number[] {
  return [...get(a), ...get(b), OP.i64Xor, ...i64(by), OP.i64RotateRight, OP.localSet, a];
}

/** The mixing function G (RFC 7693 §3.1) on four words v and the schedule entries `index` and `index + 1`. */
function mix(words: readonly [number, number, number, number], index: number): number[] {
  const [a, b, c, d] = words.map((word) => V + word) as [number, number, number, number];
  return [
    ...addMessage(a, b, index),
    ...xorRotate(d, a, 32),
    ...add(c, d),
    ...xorRotate(b, c, 24),
    ...addMessage(a, b, index + 1),
    ...xorRotate(d, a, 16),
    ...add(c, d),
    ...xorRotate(b, c, 63),
  ];
}

/** Columns, then diagonals. */
function round(): number[] {
  return [
    ...mix([0, 4, 8, 12], 0),
    ...mix([1, 5, 9, 13], 2),
    ...mix([2, 6, 10, 14], 4),
    ...mix([3, 7, 11, 15], 6),
    ...mix([0, 5, 10, 15], 8),
    ...mix([1, 6, 11, 12], 10),
    ...mix([2, 7, 8, 13], 12),
    ...mix([3, 4, 9, 14], 14),
  ];
}

function loadWords(): number[] {
  return range16().flatMap((i) => [...i32(0), OP.i64Load, ...access(3, i * WORD), OP.localSet, V + i]);
}

function storeWords(): number[] {
  return range16().flatMap((i) => [...i32(0), ...get(V + i), OP.i64Store, ...access(3, i * WORD)]);
}

function range16(): number[] {
  return Array.from({ length: 16 }, (_, i) => i);
}

/** Moves to the next row of the schedule; the last row is followed by the first. */
function nextRow(scheduleLength: number): number[] {
  return [
    ...[...get(POSITION), ...i32(16), OP.i32Add, OP.localTee, POSITION],
    ...[...i32(scheduleLength), OP.i32Equal],
    ...[OP.if, EMPTY_BLOCK, ...i32(0), OP.localSet, POSITION, OP.end],
  ];
}

function body(scheduleLength: number): number[] {
  const countDown = [...get(ROUNDS), ...i32(1), OP.i32Subtract, OP.localTee, ROUNDS];
  return [
    ...loadWords(),
    ...[...get(ROUNDS), OP.if, EMPTY_BLOCK, OP.loop, EMPTY_BLOCK],
    ...round(),
    ...nextRow(scheduleLength),
    ...[...countDown, OP.branchIf, 0, OP.end, OP.end],
    ...storeWords(),
    OP.end,
  ];
}

function exported(name: string, kind: number): wasm.Code {
  return [...wasm.name(name), kind, 0];
}

function moduleBytes(scheduleLength: number): Uint8Array {
  const { I32, I64, section, sized, vector } = wasm;
  const code = [
    ...vector([
      [1, I32],
      [16, I64],
    ]),
    ...body(scheduleLength),
  ];
  return Uint8Array.of(
    ...wasm.WASM_HEADER,
    ...section(1, vector([[0x60, ...vector([[I32]]), ...vector([])]])),
    ...section(3, vector([[0]])),
    ...section(5, vector([[0, 1]])),
    ...section(7, vector([exported("memory", 2), exported("run", 0)])),
    ...section(10, vector([sized(code)])),
  );
}

interface Exports {
  memory: { buffer: ArrayBuffer };
  run(rounds: number): void;
}

/** The part of the WebAssembly interface used here. */
interface WebAssemblyApi {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: Exports };
}

/**
 * Assembles and instantiates the module. `run` executes the given number of rounds (an unsigned 32-bit number) on the
 * words v at offset 0 of the memory, with the message at offset 128. Throws if WebAssembly is not available.
 */
export function assembleBlake2bRounds(schedule: readonly Uint8Array[]): {
  memory: ArrayBuffer;
  run: (rounds: number) => void;
} {
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
  const { memory, run } = new Instance(new Module(moduleBytes(schedule.length * 16))).exports;
  const bytes = new Uint8Array(memory.buffer, SCHEDULE_START);
  for (const [i, row] of schedule.entries()) {
    const offsets = row.map((word) => word * WORD);
    bytes.set(offsets, i * 16);
  }
  return { memory: memory.buffer, run };
}
