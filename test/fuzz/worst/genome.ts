import { BRIDGE_METHODS } from "@cambium/bridge";
import { allNativeContracts } from "@cambium/chain";
import { BRIDGE_ADDRESS, main } from "@cambium/config";
import { OPCODES } from "@cambium/evm";
import { abiFunction, bigintToFixedBytes, bytesToBigint, concatBytes, fromHex, toHex } from "@cambium/primitives";
import { compile } from "../../bench/worst-blocks/program.js";
import { CONTRACTS, HOLDER } from "../../bench/worst-blocks/surroundings.js";
import { NATIVE_METHODS, nativeCallData } from "../call-data.js";
import type { RandomSource } from "../random-source.js";

/** An operand: a word, a word that no other operand has, or the remaining gas. */
type Operand = bigint | "fresh" | "gas";

interface Statement {
  op: number;
  /** Topmost stack item first. */
  operands: readonly Operand[];
}

/**
 * A program in the form that the search changes: statements that are repeated, the memory before them, and call data in
 * it.
 */
export interface Genome {
  memory: number;
  isFilled: boolean;
  data: Uint8Array;
  statements: readonly Statement[];
}

const WORD = 32;
const SIZES = [0, 1, 4, 32, 36, 64, 128, 213, 1_024, 32_768, 65_536, 262_144, 1_060_000, 1_500_000];
const LONG_SIZES = [32_768, 65_536, 262_144, 1_060_000];
const WORDS = [0n, 1n, 2n, 31n, 64n, 1n << 31n, (1n << 31n) - 1n, (1n << 128n) + 3n, 1n << 255n, (1n << 256n) - 1n];
const GASES: readonly Operand[] = ["gas", "gas", 0n, 2_300n, 25_000n, 100_000n];
const MAX_STATEMENTS = 5;
const MAX_DATA = 4_096;
/** Minimum length of a loop's code, so that the jump hardly counts. */
const LOOP_STATEMENTS = 24;

const CALLS = ["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL"];
const NAMES: ReadonlyMap<string, number> = new Map([...OPCODES].map(([op, { name }]) => [name, op]));
/** Opcodes that end a program or jump, and those that other statements contain. */
const EXCLUDED = /^(STOP|RETURN|REVERT|SELFDESTRUCT|JUMPI?|PUSH\d+|DUPN|SWAPN|TXINDEX|DUP\d+|SWAP\d+)$/;
const OPERATIONS = [...OPCODES].filter(([, { name }]) => !EXCLUDED.test(name) && !CALLS.includes(name));
const TARGETS = [...Object.values(CONTRACTS), HOLDER].map(bytesToBigint);

/** Names of the accounts that are called. */
const ACCOUNT_NAMES: ReadonlyMap<bigint, { name: string; hasMethods: boolean }> = new Map([
  ...[...Object.entries(CONTRACTS), ["holder", HOLDER] as const].map(
    ([name, address]) => [bytesToBigint(address), { name, hasMethods: false }] as const,
  ),
  ...allNativeContracts(main).map(
    ({ name, address, recordsInternalTransactions = false }) =>
      [bytesToBigint(address), { name, hasMethods: recordsInternalTransactions }] as const,
  ),
]);
const NATIVES = [...ACCOUNT_NAMES].filter(([, { hasMethods }]) => hasMethods).map(([address]) => address);

const METHODS = [
  ...BRIDGE_METHODS.map(({ definition }) => ({ address: bytesToBigint(BRIDGE_ADDRESS), definition })),
  ...Object.entries(NATIVE_METHODS).flatMap(([contract, methods]) =>
    methods.map(([name, ...inputs]) => ({ address: BigInt(contract), definition: abiFunction(name, inputs, []) })),
  ),
];
/** Names of methods by their selectors. */
const METHOD_NAMES: ReadonlyMap<string, string> = new Map(
  METHODS.map(({ definition: { selector, name } }) => [selector, name]),
);
/** Methods whose arguments may be of any length. */
const LONG_METHODS = METHODS.filter(({ definition }) => definition.inputs.some(({ dynamic }) => dynamic)).map(
  ({ address, definition: { selector, inputs } }) => ({ address, selector, words: inputs.length }),
);

export function randomGenome(random: RandomSource): Genome {
  if (random.chance(0.3)) return longCall(random);
  const memory = random.chance(0.5) ? random.pick(SIZES) : 0;
  const { to, data } = nativeCallData(random);
  const genome = { memory, isFilled: random.chance(0.1), data: data.slice(0, MAX_DATA), statements: [] };
  const first = random.chance(0.5) ? nativeCall(to, genome, random) : statement(genome, random);
  return { ...genome, statements: [first] };
}

/**
 * Returns a call of a method with dynamic arguments, whose data are long and have numbers that may be offsets and
 * lengths.
 */
function longCall(random: RandomSource): Genome {
  const { address, selector, words } = random.pick(LONG_METHODS);
  const memory = random.pick(LONG_SIZES);
  const numbers = Array.from({ length: words + random.below(3) }, () => tellingNumber(memory, random));
  const data = concatBytes(fromHex(selector), ...numbers.map((value) => bigintToFixedBytes(value, WORD)));
  return { memory, isFilled: random.chance(0.1), data, statements: [call(address, memory, random)] };
}

/** The genome with one random change. */
export function mutated(genome: Genome, random: RandomSource): Genome {
  const { statements } = genome;
  const at = random.below(statements.length);
  const old = statements[at]!;
  switch (random.below(8)) {
    case 0:
      return { ...genome, memory: random.pick(SIZES) };
    case 1:
      return random.chance(0.1) ? { ...genome, isFilled: !genome.isFilled } : newCall(genome, random);
    case 2:
      return { ...genome, data: changedData(genome, random) };
    case 3:
      return { ...genome, data: random.disturbed(genome.data).slice(0, MAX_DATA) };
    case 4:
      if (statements.length === MAX_STATEMENTS) return { ...genome, statements: statements.toSpliced(at, 1) };
      return { ...genome, statements: [...statements, random.chance(0.3) ? old : statement(genome, random)] };
    case 5:
      if (statements.length > 1) return { ...genome, statements: statements.toSpliced(at, 1) };
      return { ...genome, data: changedData(genome, random) };
    default: {
      if (old.operands.length === 0) return { ...genome, statements: statements.with(at, statement(genome, random)) };
      const operands = old.operands.with(random.below(old.operands.length), operand(genome, random));
      return { ...genome, statements: statements.with(at, { ...old, operands }) };
    }
  }
}

/** Returns other call data, and a call of their contract. */
function newCall(genome: Genome, random: RandomSource): Genome {
  const { to, data } = nativeCallData(random);
  const changed = { ...genome, data: data.slice(0, MAX_DATA) };
  return { ...changed, statements: [nativeCall(to, changed, random)] };
}

/** Replaces a word of the call data: most words are offsets, lengths and numbers of elements. */
function changedData({ data, memory }: Genome, random: RandomSource): Uint8Array {
  const start = random.chance(0.9) ? 4 : 0;
  const word = random.below(Math.max(1, Math.ceil((data.length - start) / WORD)) + 1);
  const out = concatBytes(data, new Uint8Array(Math.max(0, start + (word + 1) * WORD - data.length)));
  out.set(bigintToFixedBytes(tellingNumber(memory, random), WORD), start + word * WORD);
  return out.slice(0, MAX_DATA);
}

/** Returns a number that may matter in call data as long as the memory. */
function tellingNumber(memory: number, random: RandomSource): bigint {
  const room = [
    memory,
    memory / WORD,
    memory - 36,
    memory - 68,
    memory - 100,
    (memory - 68) / WORD,
    (memory - 100) / WORD,
  ];
  if (random.chance(0.4)) return BigInt(Math.max(0, Math.floor(random.pick(room)) + random.below(3) - 1));
  if (random.chance(0.5)) return BigInt(WORD * random.below(8));
  return random.number();
}

function statement(genome: Genome, random: RandomSource): Statement {
  if (random.chance(0.3)) return accountCall(genome, random);
  const [op, { pops }] = random.pick(OPERATIONS);
  return { op, operands: Array.from({ length: pops }, () => operand(genome, random)) };
}

function nativeCall(to: Uint8Array, genome: Genome, random: RandomSource): Statement {
  return call(bytesToBigint(to), random.chance(0.5) ? genome.memory : genome.data.length, random);
}

function accountCall({ memory }: Genome, random: RandomSource): Statement {
  const target = random.chance(0.3) ? "fresh" : random.pick(TARGETS);
  return call(target, random.chance(0.5) ? memory : random.pick(SIZES), random);
}

function call(target: Operand, inputSize: number, random: RandomSource): Statement {
  const name = random.pick(CALLS);
  const value = name === "CALL" || name === "CALLCODE" ? [random.chance(0.9) ? 0n : 1n] : [];
  const output = random.chance(0.9) ? 0n : BigInt(random.pick(SIZES));
  return { op: NAMES.get(name)!, operands: [random.pick(GASES), target, ...value, 0n, BigInt(inputSize), 0n, output] };
}

function operand({ memory, data }: Genome, random: RandomSource): Operand {
  const kind = random.next();
  if (kind < 0.1) return "fresh";
  if (kind < 0.15) return "gas";
  if (kind < 0.35) return BigInt(random.pick([memory, data.length, ...SIZES]));
  if (kind < 0.5) return random.pick(TARGETS);
  if (kind < 0.6) return random.pick(NATIVES);
  return random.chance(0.6) ? random.pick(WORDS) : random.number();
}

/** Byte code of a genome. */
export function express({ memory, isFilled, data, statements }: Genome): Uint8Array {
  const body = statements.map(textOf).join(" ");
  const copies = Math.ceil(LOOP_STATEMENTS / statements.length);
  const size = Math.max(memory, isFilled ? data.length : 0);
  return compile({ memory: size || undefined, isFilled: isFilled && data.length > 0, data, body, copies });
}

function textOf({ op, operands }: Statement): string {
  const { name, pushes } = OPCODES.get(op)!;
  return `${operands.toReversed().map(textOfOperand).join(" ")} ${name}${" POP".repeat(pushes)}`;
}

/** Returns code for an operand. Products of the remaining gas differ each time. */
function textOfOperand(value: Operand): string {
  if (value === "gas") return "GAS";
  return value === "fresh" ? "GAS GAS MUL GAS MUL GAS MUL" : String(value);
}

/**
 * Returns the kind of a genome by its main cost. Each kind has its own best genome, so that one finding does not hide
 * the others.
 */
export function kindOf({ statements, data }: Genome): string {
  const { op, operands } = statements[0]!;
  const { name } = OPCODES.get(op)!;
  if (!CALLS.includes(name)) return name;
  const target = operands[1]!;
  const known = typeof target === "bigint" ? ACCOUNT_NAMES.get(target) : undefined;
  if (known === undefined) return `${name} of absent accounts`;
  if (!known.hasMethods) return `${name} of ${known.name}`;
  return `call of ${known.name}, ${METHOD_NAMES.get(toHex(data.subarray(0, 4))) ?? "no method"}`;
}
