import { AbiCoder, id, toBeHex } from "ethers";

/** A token's texts about itself, and its revert reason. */
export interface TokenTexts {
  name: string;
  symbol: string;
  reason: string;
  /** The contract whose `totalSupply` each transfer calls. */
  callee?: string;
}

const coder = AbiCoder.defaultAbiCoder();
const selector = (signature: string) => id(signature).slice(2, 10);
const word = (value: bigint) => toBeHex(value, 32).slice(2);
const push2 = (value: number) => `61${value.toString(16).padStart(4, "0")}`;
const byteLength = (hex: string) => hex.length / 2;

/** Call data of `transfer`. */
export function transferData(to: string, amount: bigint): string {
  return `0x${selector("transfer(address,uint256)")}${word(BigInt(to))}${word(amount)}`;
}

/**
 * Returns creation code of a contract that answers like a token. `transfer` stores and logs the amount and calls
 * another contract; methods that a token lacks revert with the reason.
 */
export function tokenCode({ name, symbol, reason, callee = "0x04" }: TokenTexts): string {
  const text = (value: string) => coder.encode(["string"], [value]).slice(2);
  const answers = {
    "name()": text(name),
    "symbol()": text(symbol),
    "decimals()": word(18n),
    "totalSupply()": word(1_000_000n * 10n ** 18n),
  };
  const error = selector("Error(string)") + text(reason);
  const data = [...Object.values(answers), error];
  // All pushes of positions have two bytes, so that the length of the program does not depend on them.
  const length = byteLength(program(answers, data, callee, 0));
  const runtime = program(answers, data, callee, length) + data.join("");
  return `0x${push2(byteLength(runtime))}80600c6000396000f3${runtime}`;
}

/** Returns a program; `start` is the position of the data after it. */
function program(answers: Record<string, string>, data: readonly string[], callee: string, start: number): string {
  const places = data.map((_, i) => start + byteLength(data.slice(0, i).join("")));
  const copied = (i: number, end: "f3" | "fd") =>
    `${push2(byteLength(data[i]!))}80${push2(places[i]!)}6000396000${end}`;
  const bodies = [...Object.keys(answers).map((_, i) => `5b${copied(i, "f3")}`), `5b${transfer(callee)}`];
  const names = [...Object.keys(answers), "transfer(address,uint256)"];
  const otherwise = copied(data.length - 1, "fd");
  const entry = (at: number) =>
    6 + names.length * 11 + byteLength(otherwise) + byteLength(bodies.slice(0, at).join(""));
  const cases = names.map((signature, i) => `8063${selector(signature)}14${push2(entry(i))}57`);
  return `60003560e01c${cases.join("")}${otherwise}${bodies.join("")}`;
}

/** Returns code that stores and logs the amount, calls the other contract, and returns true. */
function transfer(callee: string): string {
  return [
    "602435600055", // storage[0] = amount
    "602435600052", // memory[0] = amount
    `600435337f${id("Transfer(address,address,uint256)").slice(2)}60206000a3`,
    `63${selector("totalSupply()")}60e01b600052`, // memory[0] = selector
    `6020600060046000600073${toBeHex(callee, 20).slice(2)}5af150`,
    "600160005260206000f3",
  ].join("");
}
