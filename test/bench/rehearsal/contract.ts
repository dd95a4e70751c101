import { concatBytes, EMPTY_BYTES, keccak256, utf8 } from "@cambium/primitives";
import { assemble, pushPosition } from "../worst-blocks/assembler.js";

const TRANSFER = `0x${Buffer.from(keccak256(utf8("Transfer(address,address,uint256)"))).toString("hex")}`;
/** Replaces an account on the stack by the cell of its balance, like a mapping at slot 0. */
const CELL = "0 MSTORE 64 0 SHA3";
/** Adds 1 to the cell on the stack. */
const ADD = "DUP1 SLOAD 1 ADD SWAP1 SSTORE";
/** Rounds of arithmetic for each account of a call, 50 gas each. */
const ROUNDS = 100;

/**
 * A token with two methods, told apart by the length of the call data: `transfer(address,uint256)`, and one for several
 * accounts, like an exchange. The second changes the balance of each account, calculates, and logs for every other one.
 */
export const CONTRACT = withLabels(`
  68 CALLDATASIZE GT @many JUMPI
  CALLER ${CELL} ${ADD} 4 CALLDATALOAD ${CELL} ${ADD}
  36 CALLDATALOAD 0 MSTORE 4 CALLDATALOAD CALLER ${TRANSFER} 32 0 LOG3
  1 0 MSTORE 32 0 RETURN
  :many 4
  :next DUP1 CALLDATALOAD ${CELL} ${ADD}
  DUP1 32 AND @silent JUMPI
  DUP1 CALLDATALOAD CALLER ${TRANSFER} 64 0 LOG3
  :silent ${ROUNDS}
  :round DUP1 DUP1 MUL 1000003 SWAP1 MOD POP 1 SWAP1 SUB DUP1 @round JUMPI
  POP 32 ADD DUP1 CALLDATASIZE GT @next JUMPI STOP`);

/** Assembles code in which `:name` is a jump destination, and `@name` pushes its position. */
function withLabels(text: string): Uint8Array {
  const pieces = text.split(/(?=[:@])|(?<=[:@]\w+)\s/);
  const positions = new Map<string, number>();
  const encode = () => {
    let code: Uint8Array = EMPTY_BYTES;
    for (const piece of pieces) {
      const name = piece.slice(1).trim();
      if (piece.startsWith(":")) positions.set(name, code.length);
      const bytes = piece.startsWith("@") ? pushPosition(positions.get(name) ?? 0) : undefined;
      code = concatBytes(code, bytes ?? assemble(piece.startsWith(":") ? "JUMPDEST" : piece));
    }
    return code;
  };
  // The first pass finds the positions: a position has a fixed width.
  encode();
  return encode();
}
