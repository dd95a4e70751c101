import type { GenesisAccount } from "@cambium/config";
import { fromHex } from "@cambium/primitives";
import { assemble } from "./assembler.js";
import { busyBridge } from "./bridge-cells.js";
import { compile } from "./program.js";

/** Address of a numbered account. */
function numbered(number: number): Uint8Array {
  return fromHex(`c0de${number.toString(16).padStart(36, "0")}`);
}

const LARGE_CODE = new Uint8Array(24_576).fill(0x5b);

/** Code of contracts that programs call, by its effect. */
const CODES = {
  stops: assemble("STOP"),
  fails: assemble("0 0 1 0 DIV ADD POP ADD"),
  returns: assemble("32768 0 RETURN"),
  reverts: assemble("32768 0 REVERT"),
  destroysItself: assemble("CALLER SELFDESTRUCT"),
  copiesInput: assemble("CALLDATASIZE 0 0 CALLDATACOPY STOP"),
  writes: assemble("GAS GAS SSTORE STOP"),
  callsItself: compile({ body: "0 0 0 0 0 ADDRESS GAS CALL POP" }),
  isLarge: LARGE_CODE,
} as const;

type CodeName = keyof typeof CODES;

/** An account with a balance and no code. */
export const HOLDER = numbered(0);

export const CONTRACTS = Object.fromEntries(
  Object.keys(CODES).map((name, i) => [name, numbered(i + 1)]),
) as unknown as Readonly<Record<CodeName, Uint8Array>>;

/** Returns accounts that exist in addition to a program, with a bridge that has much work. */
export function surroundings(): GenesisAccount[] {
  const contracts = Object.entries(CODES).map(([name, code]) => ({
    address: CONTRACTS[name as CodeName],
    balance: 1_000n,
    code,
  }));
  return [busyBridge(), { address: HOLDER, balance: 1n }, ...contracts];
}
