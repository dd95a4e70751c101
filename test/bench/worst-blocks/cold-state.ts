import { bigintToFixedBytes, keccak256 } from "@cambium/primitives";
import { assemble } from "./assembler.js";
import type { Program } from "./program.js";

// A large state with computable keys, so that a program reads entries that no block has read before.

const WORD = 32;
/** Number of entries between the positions where two blocks begin, and number of these positions. */
const [STRIDE, PLACES] = [41_000, 12];

function hashOfIndex(index: number): Uint8Array {
  return keccak256(bigintToFixedBytes(BigInt(index), WORD));
}

/** Address of an account of the large state. */
export function addressAt(index: number): Uint8Array {
  return hashOfIndex(index).slice(12);
}

/** A cell of the contract of the large state. */
export function cellAt(index: number): Uint8Array {
  return hashOfIndex(index);
}

/** Code of that contract: runs the code at the address in the call data on the contract's own cells. */
export const DELEGATING_CODE = assemble("0 0 0 0 0 CALLDATALOAD GAS DELEGATECALL STOP");

/** Pushes a first index, which depends on the block. {@link NEXT} counts it up and pushes its hash. */
const START = `${STRIDE} ${PLACES} NUMBER MOD MUL`;
const NEXT = "1 ADD DUP1 0 MSTORE 32 0 SHA3";
/** Numbers that no entry has. */
const ABSENT_START = `${START} ${10 ** 12} ADD`;

/** Number of cells whose clearing is refunded with half of a block's gas: a block can execute that much more. */
const CLEARED = 340;

/** Number of distinct contracts of maximum size. */
export const LARGE_CONTRACTS = 1_000;

export function largeContractAt(index: number): { address: Uint8Array; balance: bigint; code: Uint8Array } {
  const code = new Uint8Array(24_576).fill(0x5b);
  // The code jumps to its end, so that its destinations are searched.
  code.set(assemble(`${code.length - 1} JUMP ${index + 1_000}`));
  return { address: largeContractAddress(index), balance: 0n, code };
}

const LARGE_BASE = 2 ** 40;

function largeContractAddress(index: number): Uint8Array {
  return addressAt(LARGE_BASE + index);
}

interface ColdRow {
  name: string;
  program: Program;
}

/** Returns rows for accounts and cells, present and absent, whose changes persist if they make any. */
export function coldRows(): ColdRow[] {
  return [...reads(), ...writes(), ...largeContracts()];
}

function reads(): ColdRow[] {
  const bodies: Readonly<Record<string, string>> = {
    SLOAD: "SLOAD POP",
    BALANCE: "BALANCE POP",
    EXTCODESIZE: "EXTCODESIZE POP",
    EXTCODEHASH: "EXTCODEHASH POP",
    EXTCODECOPY: "1 0 0 DUP4 EXTCODECOPY POP",
    "CALL, new accounts stay": "0 0 0 0 0 DUP6 0 CALL POP POP",
    "STATICCALL, new accounts stay": "0 0 0 0 DUP5 0 STATICCALL POP POP",
    "SSTORE of 0": "0 SWAP1 SSTORE",
  };
  return Object.entries(bodies).flatMap(([name, body]) =>
    ["present", "absent"].map((which) => ({
      name: `${name}, ${which}`,
      program: {
        before: which === "present" ? START : ABSENT_START,
        body: `${NEXT} ${body}`,
        ...(name.includes("stay") ? { reserve: 60_000 } : { copies: 8 }),
      },
    })),
  );
}

function writes(): ColdRow[] {
  const change = `${NEXT} GAS SWAP1 SSTORE`;
  const clear = `${NEXT} 0 SWAP1 SSTORE`;
  return [
    { name: "SSTORE, present cells changed", program: { before: START, body: change, reserve: 60_000 } },
    { name: "SSTORE, cells cleared", program: { before: START, body: clear, reserve: 60_000 } },
    { name: "SSTORE, new cells", program: { before: ABSENT_START, body: change, reserve: 60_000 } },
    {
      name: "SLOAD, present, half of the gas refunded",
      program: {
        before: `${START} ${` ${clear}`.repeat(CLEARED)}`,
        body: `${NEXT} SLOAD POP`,
        copies: 8,
        reserve: 60_000,
      },
    },
  ];
}

/** Reads each contract once, because a contract that was read is in memory. */
function largeContracts(): ColdRow[] {
  const bodies: Readonly<Record<string, string>> = {
    EXTCODESIZE: "EXTCODESIZE POP",
    EXTCODEHASH: "EXTCODEHASH POP",
    EXTCODECOPY: "1 0 0 DUP4 EXTCODECOPY POP",
    STATICCALL: "0 0 0 0 DUP5 5000 STATICCALL POP POP",
  };
  return Object.entries(bodies).map(([name, body]) => ({
    name: `${name} of distinct contracts of 24 KB`,
    program: { before: `${LARGE_BASE - 1}`, body: `${NEXT} ${body}`, copies: LARGE_CONTRACTS, isOnce: true },
  }));
}
