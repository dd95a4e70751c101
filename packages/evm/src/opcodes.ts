import type { RuleName, Rules } from "@cambium/config";
import { type FrameFailure, INVALID_OPCODE, STACK_OVERFLOW, STACK_UNDERFLOW } from "./errors.js";
import { type CostName, gasSchedule } from "./gas-schedule.js";

/** Rules under which an opcode is defined. */
interface Era {
  from?: RuleName;
  until?: RuleName;
}

/** Byte, number of stack items popped and pushed, constant part of the cost. */
type Row = readonly [op: number, pops: number, pushes: number, cost: CostName, when?: Era];

/** Opcodes of all eras: `spec/04 §3.2`. PUSH, DUP, SWAP and LOG are added below. */
const TABLE = {
  STOP: [0x00, 0, 0, "zero"],
  ADD: [0x01, 2, 1, "veryLow"],
  MUL: [0x02, 2, 1, "low"],
  SUB: [0x03, 2, 1, "veryLow"],
  DIV: [0x04, 2, 1, "low"],
  SDIV: [0x05, 2, 1, "low"],
  MOD: [0x06, 2, 1, "low"],
  SMOD: [0x07, 2, 1, "low"],
  ADDMOD: [0x08, 3, 1, "mid"],
  MULMOD: [0x09, 3, 1, "mid"],
  EXP: [0x0a, 2, 1, "exponent"],
  SIGNEXTEND: [0x0b, 2, 1, "low"],
  LT: [0x10, 2, 1, "veryLow"],
  GT: [0x11, 2, 1, "veryLow"],
  SLT: [0x12, 2, 1, "veryLow"],
  SGT: [0x13, 2, 1, "veryLow"],
  EQ: [0x14, 2, 1, "veryLow"],
  ISZERO: [0x15, 1, 1, "veryLow"],
  AND: [0x16, 2, 1, "veryLow"],
  OR: [0x17, 2, 1, "veryLow"],
  XOR: [0x18, 2, 1, "veryLow"],
  NOT: [0x19, 1, 1, "veryLow"],
  BYTE: [0x1a, 2, 1, "veryLow"],
  SHL: [0x1b, 2, 1, "veryLow", { from: "rskip120" }],
  SHR: [0x1c, 2, 1, "veryLow", { from: "rskip120" }],
  SAR: [0x1d, 2, 1, "veryLow", { from: "rskip120" }],
  SHA3: [0x20, 2, 1, "keccak"],
  ADDRESS: [0x30, 0, 1, "base"],
  BALANCE: [0x31, 1, 1, "balance"],
  ORIGIN: [0x32, 0, 1, "base"],
  CALLER: [0x33, 0, 1, "base"],
  CALLVALUE: [0x34, 0, 1, "base"],
  CALLDATALOAD: [0x35, 1, 1, "veryLow"],
  CALLDATASIZE: [0x36, 0, 1, "base"],
  CALLDATACOPY: [0x37, 3, 0, "veryLow"],
  CODESIZE: [0x38, 0, 1, "base"],
  CODECOPY: [0x39, 3, 0, "veryLow"],
  GASPRICE: [0x3a, 0, 1, "base"],
  EXTCODESIZE: [0x3b, 1, 1, "foreignCode"],
  EXTCODECOPY: [0x3c, 4, 0, "foreignCode"],
  RETURNDATASIZE: [0x3d, 0, 1, "base"],
  RETURNDATACOPY: [0x3e, 3, 0, "veryLow"],
  EXTCODEHASH: [0x3f, 1, 1, "codeHash", { from: "rskip140" }],
  BLOCKHASH: [0x40, 1, 1, "blockHash"],
  COINBASE: [0x41, 0, 1, "base"],
  TIMESTAMP: [0x42, 0, 1, "base"],
  NUMBER: [0x43, 0, 1, "base"],
  DIFFICULTY: [0x44, 0, 1, "base"],
  GASLIMIT: [0x45, 0, 1, "base"],
  CHAINID: [0x46, 0, 1, "base", { from: "rskip152" }],
  SELFBALANCE: [0x47, 0, 1, "low", { from: "rskip151" }],
  BASEFEE: [0x48, 0, 1, "base", { from: "rskip412" }],
  POP: [0x50, 1, 0, "base"],
  MLOAD: [0x51, 1, 1, "veryLow"],
  MSTORE: [0x52, 2, 0, "veryLow"],
  MSTORE8: [0x53, 2, 0, "veryLow"],
  SLOAD: [0x54, 1, 1, "loadCell"],
  SSTORE: [0x55, 2, 0, "zero"],
  JUMP: [0x56, 1, 0, "mid"],
  JUMPI: [0x57, 2, 0, "high"],
  PC: [0x58, 0, 1, "base"],
  MSIZE: [0x59, 0, 1, "base"],
  GAS: [0x5a, 0, 1, "base"],
  JUMPDEST: [0x5b, 0, 0, "jumpDestination"],
  TLOAD: [0x5c, 1, 1, "transientCell", { from: "rskip446" }],
  TSTORE: [0x5d, 2, 0, "transientCell", { from: "rskip446" }],
  MCOPY: [0x5e, 3, 0, "veryLow", { from: "rskip445" }],
  PUSH0: [0x5f, 0, 1, "base", { from: "rskip398" }],
  DUPN: [0xa8, 2, 2, "veryLow", { until: "rskip191" }],
  SWAPN: [0xa9, 3, 2, "veryLow", { until: "rskip191" }],
  TXINDEX: [0xaa, 0, 1, "base", { until: "rskip191" }],
  CREATE: [0xf0, 3, 1, "zero"],
  CALL: [0xf1, 7, 1, "zero"],
  CALLCODE: [0xf2, 7, 1, "zero"],
  RETURN: [0xf3, 2, 0, "zero"],
  DELEGATECALL: [0xf4, 6, 1, "zero"],
  CREATE2: [0xf5, 4, 1, "zero", { from: "rskip125" }],
  STATICCALL: [0xfa, 6, 1, "zero", { from: "rskip91" }],
  REVERT: [0xfd, 2, 0, "zero"],
  SELFDESTRUCT: [0xff, 1, 0, "zero"],
} as const satisfies Readonly<Record<string, Row>>;

/** Opcode bytes. */
export const Op = {
  ...(Object.fromEntries(Object.entries<Row>(TABLE).map(([name, [op]]) => [name, op])) as Bytes),
  PUSH1: 0x60,
  PUSH32: 0x7f,
  DUP1: 0x80,
  SWAP1: 0x90,
  LOG0: 0xa0,
  HEADER: 0xfc,
} as const;

type Bytes = Readonly<Record<keyof typeof TABLE, number>>;

/** Facts about an opcode that the step rule needs: `spec/04 §3.1`. `cost` is the constant part. */
export interface OpcodeInfo extends Era {
  name: string;
  pops: number;
  pushes: number;
  cost: CostName;
}

/** Every opcode of any era, by its byte. */
export const OPCODES: ReadonlyMap<number, OpcodeInfo> = describeOpcodes();

function describeOpcodes(): ReadonlyMap<number, OpcodeInfo> {
  const rows: [string, Row][] = Object.entries(TABLE);
  for (let n = 1; n <= 32; n++) rows.push([`PUSH${n}`, [Op.PUSH1 + n - 1, 0, 1, "veryLow"]]);
  for (let n = 1; n <= 16; n++) rows.push([`DUP${n}`, [Op.DUP1 + n - 1, n, n + 1, "veryLow"]]);
  for (let n = 1; n <= 16; n++) rows.push([`SWAP${n}`, [Op.SWAP1 + n - 1, n + 1, n + 1, "veryLow"]]);
  for (let n = 0; n <= 4; n++) rows.push([`LOG${n}`, [Op.LOG0 + n, n + 2, 0, "zero"]]);
  rows.sort(([, [one]], [, [other]]) => one - other);
  return new Map(rows.map(([name, [op, pops, pushes, cost, when]]) => [op, { name, pops, pushes, cost, ...when }]));
}

/** Name of an opcode for traces, undefined for undefined opcodes. */
export function opcodeName(op: number): string | undefined {
  return op === Op.HEADER ? "HEADER" : OPCODES.get(op)?.name;
}

export const STACK_LIMIT = 1024;

/**
 * Step rule of one era by opcode, packed into one number each because every step reads it. From the lowest bit: 11 bits
 * for the required stack items (above the stack limit if the opcode does not exist, so that the same comparison rejects
 * it). Then 11 bits for the largest stack size whose result still fits, and 10 bits of constant gas. Opcodes with a
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
  for (const [op, info] of OPCODES) {
    if (info.from !== undefined && !rules[info.from]) continue;
    if (info.until !== undefined && rules[info.until]) continue;
    table[op] = pack(info.pops, STACK_LIMIT + info.pops - info.pushes, costs[info.cost]);
  }
  return table;
}

/** Constant part of the cost of an opcode, 0 for an undefined one. */
export function constantGas(steps: StepTable, op: number): number {
  return steps[op]! >>> 22;
}

function pack(minStack: number, maxStack: number, gas: number): number {
  return (minStack | (maxStack << 11) | (gas << 22)) >>> 0;
}

/**
 * Explains why the step rule rejects an opcode with `size` items on the stack, in the order of its checks
 * (`spec/04 §3.1`).
 */
export function stepFailure(op: number, size: number): FrameFailure {
  const info = OPCODES.get(op);
  if (info === undefined) return INVALID_OPCODE;
  if (size < info.pops) return STACK_UNDERFLOW;
  return size - info.pops + info.pushes > STACK_LIMIT ? STACK_OVERFLOW : INVALID_OPCODE;
}
