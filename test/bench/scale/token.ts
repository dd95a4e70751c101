import { concatBytes, fromHex, keccak256, leftPad } from "@cambium/primitives";

/** Address of a token, whose cells are the balances. */
export const TOKEN = fromHex("57".repeat(20));

const SELECTOR = fromHex("70a08231");
const WORD = 32;
/** Code that adds 1 to each of the two cells that the words of the call data name. */
const ADD = `${["00", "20"].map((offset) => `60${offset}3580546001019055`).join("")}00`;
/** Code that returns the balance of the account that the call data name after a selector. */
const BALANCE_OF = "5b60043560005260406000205460005260206000f3";
/**
 * Code of `balanceOf` if the call data are as long as those of {@link balanceOf}; otherwise code that changes cells.
 */
export const TOKEN_CODE = fromHex(`36602414601c57${ADD}${BALANCE_OF}`);

/** Returns the cell of an account's balance: of a mapping at slot 0, as Solidity stores it. */
export function balanceCell(account: Uint8Array): Uint8Array {
  return keccak256(concatBytes(leftPad(account, WORD), new Uint8Array(WORD)));
}

/** Call data of `balanceOf(address)`. */
export function balanceOf(account: Uint8Array): Uint8Array {
  return concatBytes(SELECTOR, leftPad(account, WORD));
}
