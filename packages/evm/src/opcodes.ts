import type { RuleName, Rules } from "@cambium/config";
import { type FrameFailure, INVALID_OPCODE, STACK_OVERFLOW, STACK_UNDERFLOW } from "./errors.js";
import { type CostName, gasSchedule } from "./gas-schedule.js";

/**
 * Pseudo-opcode that passes each step of a traced frame to its tracer. In real code the byte is undefined and fails.
 */
export const TRACE = 0x0c;

/** Opcode bytes: `spec/04 §3.2`. */
export const Op = {
  STOP: 0x00,
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  DIV: 0x04,
  SDIV: 0x05,
  MOD: 0x06,
  SMOD: 0x07,
  ADDMOD: 0x08,
  MULMOD: 0x09,
  EXP: 0x0a,
  SIGNEXTEND: 0x0b,
  LT: 0x10,
  GT: 0x11,
  SLT: 0x12,
  SGT: 0x13,
  EQ: 0x14,
  ISZERO: 0x15,
  AND: 0x16,
  OR: 0x17,
  XOR: 0x18,
  NOT: 0x19,
  BYTE: 0x1a,
  SHL: 0x1b,
  SHR: 0x1c,
  SAR: 0x1d,
  SHA3: 0x20,
  ADDRESS: 0x30,
  BALANCE: 0x31,
  ORIGIN: 0x32,
  CALLER: 0x33,
  CALLVALUE: 0x34,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  CODESIZE: 0x38,
  CODECOPY: 0x39,
  GASPRICE: 0x3a,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  EXTCODEHASH: 0x3f,
  BLOCKHASH: 0x40,
  COINBASE: 0x41,
  TIMESTAMP: 0x42,
  NUMBER: 0x43,
  DIFFICULTY: 0x44,
  GASLIMIT: 0x45,
  CHAINID: 0x46,
  SELFBALANCE: 0x47,
  BASEFEE: 0x48,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  MSTORE8: 0x53,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  PC: 0x58,
  MSIZE: 0x59,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  MCOPY: 0x5e,
  PUSH0: 0x5f,
  PUSH1: 0x60,
  PUSH32: 0x7f,
  DUP1: 0x80,
  DUP16: 0x8f,
  SWAP1: 0x90,
  SWAP16: 0x9f,
  LOG0: 0xa0,
  LOG4: 0xa4,
  DUPN: 0xa8,
  SWAPN: 0xa9,
  TXINDEX: 0xaa,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  RETURN: 0xf3,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  HEADER: 0xfc,
  REVERT: 0xfd,
  SELFDESTRUCT: 0xff,
} as const;

/** What the step rule needs to know about an opcode: `spec/04 §3.1`. `cost` is the constant part. */
export interface OpcodeInfo {
  name: string;
  pops: number;
  pushes: number;
  cost: CostName;
  from?: RuleName;
  until?: RuleName;
}

const defined = new Map<number, OpcodeInfo>();

/** Every opcode of any era, by its byte. */
export const OPCODES: ReadonlyMap<number, OpcodeInfo> = defined;

function define(op: number, name: string, pops: number, pushes: number, cost: CostName, when?: Partial<OpcodeInfo>) {
  defined.set(op, { name, pops, pushes, cost, ...when });
}

defineArithmetic();
defineEnvironment();
defineMachine();
defineSystem();

function defineArithmetic(): void {
  define(Op.STOP, "STOP", 0, 0, "zero");
  define(Op.ADD, "ADD", 2, 1, "veryLow");
  define(Op.MUL, "MUL", 2, 1, "low");
  define(Op.SUB, "SUB", 2, 1, "veryLow");
  define(Op.DIV, "DIV", 2, 1, "low");
  define(Op.SDIV, "SDIV", 2, 1, "low");
  define(Op.MOD, "MOD", 2, 1, "low");
  define(Op.SMOD, "SMOD", 2, 1, "low");
  define(Op.ADDMOD, "ADDMOD", 3, 1, "mid");
  define(Op.MULMOD, "MULMOD", 3, 1, "mid");
  define(Op.EXP, "EXP", 2, 1, "exponent");
  define(Op.SIGNEXTEND, "SIGNEXTEND", 2, 1, "low");
  define(Op.LT, "LT", 2, 1, "veryLow");
  define(Op.GT, "GT", 2, 1, "veryLow");
  define(Op.SLT, "SLT", 2, 1, "veryLow");
  define(Op.SGT, "SGT", 2, 1, "veryLow");
  define(Op.EQ, "EQ", 2, 1, "veryLow");
  define(Op.ISZERO, "ISZERO", 1, 1, "veryLow");
  define(Op.AND, "AND", 2, 1, "veryLow");
  define(Op.OR, "OR", 2, 1, "veryLow");
  define(Op.XOR, "XOR", 2, 1, "veryLow");
  define(Op.NOT, "NOT", 1, 1, "veryLow");
  define(Op.BYTE, "BYTE", 2, 1, "veryLow");
  define(Op.SHL, "SHL", 2, 1, "veryLow", { from: "rskip120" });
  define(Op.SHR, "SHR", 2, 1, "veryLow", { from: "rskip120" });
  define(Op.SAR, "SAR", 2, 1, "veryLow", { from: "rskip120" });
  define(Op.SHA3, "SHA3", 2, 1, "keccak");
}

function defineEnvironment(): void {
  define(Op.ADDRESS, "ADDRESS", 0, 1, "base");
  define(Op.BALANCE, "BALANCE", 1, 1, "balance");
  define(Op.ORIGIN, "ORIGIN", 0, 1, "base");
  define(Op.CALLER, "CALLER", 0, 1, "base");
  define(Op.CALLVALUE, "CALLVALUE", 0, 1, "base");
  define(Op.CALLDATALOAD, "CALLDATALOAD", 1, 1, "veryLow");
  define(Op.CALLDATASIZE, "CALLDATASIZE", 0, 1, "base");
  define(Op.CALLDATACOPY, "CALLDATACOPY", 3, 0, "veryLow");
  define(Op.CODESIZE, "CODESIZE", 0, 1, "base");
  define(Op.CODECOPY, "CODECOPY", 3, 0, "veryLow");
  define(Op.GASPRICE, "GASPRICE", 0, 1, "base");
  define(Op.EXTCODESIZE, "EXTCODESIZE", 1, 1, "foreignCode");
  define(Op.EXTCODECOPY, "EXTCODECOPY", 4, 0, "foreignCode");
  define(Op.RETURNDATASIZE, "RETURNDATASIZE", 0, 1, "base");
  define(Op.RETURNDATACOPY, "RETURNDATACOPY", 3, 0, "veryLow");
  define(Op.EXTCODEHASH, "EXTCODEHASH", 1, 1, "codeHash", { from: "rskip140" });
  define(Op.BLOCKHASH, "BLOCKHASH", 1, 1, "blockHash");
  define(Op.COINBASE, "COINBASE", 0, 1, "base");
  define(Op.TIMESTAMP, "TIMESTAMP", 0, 1, "base");
  define(Op.NUMBER, "NUMBER", 0, 1, "base");
  define(Op.DIFFICULTY, "DIFFICULTY", 0, 1, "base");
  define(Op.GASLIMIT, "GASLIMIT", 0, 1, "base");
  define(Op.CHAINID, "CHAINID", 0, 1, "base", { from: "rskip152" });
  define(Op.SELFBALANCE, "SELFBALANCE", 0, 1, "low", { from: "rskip151" });
  define(Op.BASEFEE, "BASEFEE", 0, 1, "base", { from: "rskip412" });
}

function defineMachine(): void {
  define(Op.POP, "POP", 1, 0, "base");
  define(Op.MLOAD, "MLOAD", 1, 1, "veryLow");
  define(Op.MSTORE, "MSTORE", 2, 0, "veryLow");
  define(Op.MSTORE8, "MSTORE8", 2, 0, "veryLow");
  define(Op.SLOAD, "SLOAD", 1, 1, "loadCell");
  define(Op.SSTORE, "SSTORE", 2, 0, "zero");
  define(Op.JUMP, "JUMP", 1, 0, "mid");
  define(Op.JUMPI, "JUMPI", 2, 0, "high");
  define(Op.PC, "PC", 0, 1, "base");
  define(Op.MSIZE, "MSIZE", 0, 1, "base");
  define(Op.GAS, "GAS", 0, 1, "base");
  define(Op.JUMPDEST, "JUMPDEST", 0, 0, "jumpDestination");
  define(Op.TLOAD, "TLOAD", 1, 1, "transientCell", { from: "rskip446" });
  define(Op.TSTORE, "TSTORE", 2, 0, "transientCell", { from: "rskip446" });
  define(Op.MCOPY, "MCOPY", 3, 0, "veryLow", { from: "rskip445" });
  define(Op.PUSH0, "PUSH0", 0, 1, "base", { from: "rskip398" });
  for (let n = 1; n <= 32; n++) define(Op.PUSH1 + n - 1, `PUSH${n}`, 0, 1, "veryLow");
  for (let n = 1; n <= 16; n++) define(Op.DUP1 + n - 1, `DUP${n}`, n, n + 1, "veryLow");
  for (let n = 1; n <= 16; n++) define(Op.SWAP1 + n - 1, `SWAP${n}`, n + 1, n + 1, "veryLow");
  for (let n = 0; n <= 4; n++) define(Op.LOG0 + n, `LOG${n}`, n + 2, 0, "zero");
  define(Op.DUPN, "DUPN", 2, 2, "veryLow", { until: "rskip191" });
  define(Op.SWAPN, "SWAPN", 3, 2, "veryLow", { until: "rskip191" });
  define(Op.TXINDEX, "TXINDEX", 0, 1, "base", { until: "rskip191" });
}

function defineSystem(): void {
  define(Op.CREATE, "CREATE", 3, 1, "zero");
  define(Op.CALL, "CALL", 7, 1, "zero");
  define(Op.CALLCODE, "CALLCODE", 7, 1, "zero");
  define(Op.RETURN, "RETURN", 2, 0, "zero");
  define(Op.DELEGATECALL, "DELEGATECALL", 6, 1, "zero");
  define(Op.CREATE2, "CREATE2", 4, 1, "zero", { from: "rskip125" });
  define(Op.STATICCALL, "STATICCALL", 6, 1, "zero", { from: "rskip91" });
  define(Op.REVERT, "REVERT", 2, 0, "zero");
  define(Op.SELFDESTRUCT, "SELFDESTRUCT", 1, 0, "zero");
}

/** Name of an opcode for traces, undefined for undefined opcodes. */
export function opcodeName(op: number): string | undefined {
  return op === Op.HEADER ? "HEADER" : defined.get(op)?.name;
}

export const STACK_LIMIT = 1024;

/**
 * The step rule of one era by opcode, packed into one number each because every step reads it. From the lowest bit: 11
 * bits for the required stack items (above the stack limit if the opcode does not exist, so that the same comparison
 * rejects it), 11 bits for the largest stack size whose result still fits, 10 bits of constant gas. Opcodes with a
 * larger cost charge it themselves.
 */
export type StepTable = Uint32Array;

const tables = new WeakMap<Rules, StepTable>();

/** The table of an era, built once per rules object. */
export function stepTable(rules: Rules): StepTable {
  let table = tables.get(rules);
  if (table === undefined) tables.set(rules, (table = buildTable(rules)));
  return table;
}

function buildTable(rules: Rules): StepTable {
  const costs = gasSchedule(rules);
  const table = new Uint32Array(256).fill(pack(STACK_LIMIT + 1, STACK_LIMIT, 0));
  table[TRACE] = pack(0, STACK_LIMIT, 0);
  for (const [op, info] of defined) {
    if (info.from !== undefined && !rules[info.from]) continue;
    if (info.until !== undefined && rules[info.until]) continue;
    table[op] = pack(info.pops, STACK_LIMIT + info.pops - info.pushes, costs[info.cost]);
  }
  return table;
}

function pack(minStack: number, maxStack: number, gas: number): number {
  return (minStack | (maxStack << 11) | (gas << 22)) >>> 0;
}

/** Why the step rule rejects an opcode with `size` items on the stack, in the order of its checks (`spec/04 §3.1`). */
export function stepFailure(op: number, size: number): FrameFailure {
  const info = defined.get(op);
  if (info === undefined) return INVALID_OPCODE;
  if (size < info.pops) return STACK_UNDERFLOW;
  return size - info.pops + info.pushes > STACK_LIMIT ? STACK_OVERFLOW : INVALID_OPCODE;
}
