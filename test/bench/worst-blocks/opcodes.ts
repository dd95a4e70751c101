import { OPCODES, type OpcodeInfo } from "@cambium/evm";
import type { Program } from "./program.js";
import { CONTRACTS, HOLDER } from "./surroundings.js";

/** The worst of some programs, or of some byte code, by processor time. */
export interface Row {
  name: string;
  programs: readonly (Program | Uint8Array)[];
}

/** Numbers that take different paths through arithmetic: small, of half a word, of a whole one, negative. */
const WORDS = ["7", `${2n ** 64n + 5n}`, `${2n ** 128n + 3n}`, `${2n ** 255n + 11n}`, `${2n ** 256n - 99n}`];
const SIZES = [0, 32, 1_024, 32_768];
/** Code for a word that no program has used: a hash of the remaining gas. */
const FRESH = "GAS 0 MSTORE 32 0 SHA3";
const COPIES = 24;

const address = (bytes: Uint8Array): string => String(BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
const ACCOUNTS = [FRESH, address(HOLDER), address(CONTRACTS.isLarge), "16777222"];

const sized = (text: (size: number) => string): Program[] =>
  SIZES.map((size) => ({ memory: Math.max(32, size), body: text(size), copies: COPIES }));

const called = (name: string): Program[] =>
  [...Object.values(CONTRACTS).map(address), ...ACCOUNTS].flatMap((target) =>
    [0, 1_060_000].map((size) => {
      const value = name === "CALL" || name === "CALLCODE" ? "0" : "";
      const memory = size === 0 ? undefined : size;
      return { memory, body: `0 0 ${size} 0 ${value} ${target} 20000 ${name} POP`, copies: COPIES };
    }),
  );

const created = (salt: string, name: string): Program[] => [
  { body: `${salt} 0 0 0 ${name} POP`, copies: COPIES },
  { data: new Uint8Array(32).fill(0x5b), memory: 49_152, isFilled: true, body: `${salt} 49152 0 0 ${name} POP` },
  { data: Uint8Array.of(0x33, 0xff), body: `${salt} 2 0 0 ${name} POP`, copies: COPIES },
];

const halting = (contract: keyof typeof CONTRACTS): Program[] => [
  { body: `0 0 0 0 ${address(CONTRACTS[contract])} GAS STATICCALL POP`, copies: COPIES },
  { memory: 32_768, body: `32768 0 0 0 ${address(CONTRACTS[contract])} GAS STATICCALL POP`, copies: COPIES },
];

/** Programs for opcodes whose operands are not just words. */
const SPECIAL: Readonly<Record<string, readonly Program[]>> = {
  SHA3: sized((size) => `${size} 0 SHA3 POP`),
  CALLDATALOAD: ["0", "31", "1000000"].map((offset) => ({ body: `${offset} CALLDATALOAD POP`, copies: COPIES })),
  CALLDATACOPY: sized((size) => `${size} 0 0 CALLDATACOPY`),
  CODECOPY: sized((size) => `${size} 0 0 CODECOPY`),
  RETURNDATACOPY: sized((size) => `${size} 0 0 RETURNDATACOPY`).map((program) => ({
    ...program,
    before: `0 0 0 0 ${address(CONTRACTS.returns)} GAS STATICCALL POP`,
  })),
  EXTCODECOPY: ACCOUNTS.flatMap((target) => sized((size) => `${size} 0 0 ${target} EXTCODECOPY`)),
  MCOPY: sized((size) => `${size} 0 ${Math.floor(size / 2)} MCOPY`),
  BALANCE: ACCOUNTS.map((target) => ({ body: `${target} BALANCE POP`, copies: COPIES })),
  EXTCODESIZE: ACCOUNTS.map((target) => ({ body: `${target} EXTCODESIZE POP`, copies: COPIES })),
  EXTCODEHASH: ACCOUNTS.map((target) => ({ body: `${target} EXTCODEHASH POP`, copies: COPIES })),
  BLOCKHASH: ["1 NUMBER SUB", "256 NUMBER SUB", "4000", FRESH].map((number) => ({
    body: `${number} BLOCKHASH POP`,
    copies: COPIES,
  })),
  MLOAD: [{ data: new Uint8Array(64).fill(0xff), body: "5 MLOAD POP", copies: COPIES }],
  MSTORE: WORDS.map((word) => ({ body: `${word} 5 MSTORE`, copies: COPIES })),
  MSTORE8: WORDS.map((word) => ({ body: `${word} 5 MSTORE8`, copies: COPIES })),
  SLOAD: ["1", FRESH].map((key) => ({ body: `${key} SLOAD POP`, copies: COPIES })),
  SSTORE: [`${FRESH} 1 SSTORE`, `0 ${FRESH} SSTORE`, `1 ${FRESH} SSTORE`].flatMap((body) => [
    { body, copies: COPIES },
    { body, copies: 1, reserve: 40_000 },
  ]),
  TLOAD: ["1", FRESH].map((key) => ({ body: `${key} TLOAD POP`, copies: COPIES })),
  TSTORE: [`${FRESH} 1 TSTORE`, `1 ${FRESH} TSTORE`, "0 1 TSTORE"].map((body) => ({ body, copies: COPIES })),
  JUMP: [{ body: "JUMPDEST" }],
  JUMPI: [{ body: "JUMPDEST 0 0 JUMPI", copies: COPIES }],
  CREATE: created("", "CREATE"),
  CREATE2: created("GAS", "CREATE2"),
  CALL: called("CALL"),
  CALLCODE: called("CALLCODE"),
  DELEGATECALL: called("DELEGATECALL"),
  STATICCALL: called("STATICCALL"),
  STOP: halting("stops"),
  RETURN: halting("returns"),
  REVERT: halting("reverts"),
  SELFDESTRUCT: [
    { body: `0 0 0 0 0 ${address(CONTRACTS.destroysItself)} GAS CALL POP`, copies: COPIES },
    { body: `0 0 0 0 0 ${address(CONTRACTS.destroysItself)} GAS CALL POP`, copies: 4, reserve: 40_000 },
  ],
};

const LOG_TOPICS = /^LOG(\d)$/;

/** A row for each opcode of main's rules of today. */
export function opcodeRows(): Row[] {
  return [...OPCODES.values()]
    .filter(({ until }) => until === undefined)
    .map((info) => ({ name: info.name, programs: programsOf(info) }));
}

function programsOf(info: OpcodeInfo): readonly Program[] {
  const { name, pops, pushes } = info;
  const topics = LOG_TOPICS.exec(name)?.[1];
  if (topics !== undefined) return logs(name, Number(topics));
  if (SPECIAL[name] !== undefined) return SPECIAL[name];
  if (/^PUSH/.test(name)) return [{ body: `${pushed(name)} POP`, copies: COPIES }];
  const stack = WORDS.flatMap((word) => [word, word, word, word]).slice(0, 17);
  if (/^(DUP|SWAP)/.test(name)) {
    return [{ before: stack.join(" "), body: name + (name.startsWith("DUP") ? " POP" : ""), copies: COPIES }];
  }
  return operandsOf(pops).map((operands) => ({
    body: `${operands.join(" ")} ${name}${" POP".repeat(pushes)}`,
    copies: COPIES,
  }));
}

/** The constant that a push of this width needs. */
function pushed(name: string): string {
  const bytes = Number(name.slice(4));
  return bytes === 0 ? "0" : String(2n ** BigInt(8 * bytes) - 1n);
}

/** Returns every choice of this number of words. */
function operandsOf(count: number): string[][] {
  if (count === 0) return [[]];
  return operandsOf(count - 1).flatMap((rest) => WORDS.map((word) => [...rest, word]));
}

/** Returns programs with logs that stay, and with logs that are reverted. */
function logs(name: string, topics: number): Program[] {
  const words = Array.from({ length: topics }, () => "GAS").join(" ");
  return [0, 32_000].flatMap((size) => [
    { body: `${words} ${size} 0 ${name}`, copies: COPIES },
    { body: `${words} ${size} 0 ${name}`, reserve: 300_000 },
  ]);
}
