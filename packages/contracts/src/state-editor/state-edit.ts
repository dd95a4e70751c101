import { bigintToBytes, bytesToBigint, decodeRlpList, encodeRlp, type RlpItem } from "@cambium/primitives";
import { NativeContractError } from "../errors.js";

/** A change of one account from outside the rules, on a network for development. */
export type StateEdit = { address: Uint8Array } & (
  | { kind: "balance"; balance: bigint }
  | { kind: "nonce"; nonce: bigint }
  /** Empty code removes the present code. */
  | { kind: "code"; code: Uint8Array }
  /** A cell as stored, 32 bytes of key; an empty value clears it. */
  | { kind: "cell"; key: Uint8Array; value: Uint8Array }
  /** Removes the account with its code and its cells. */
  | { kind: "removal" }
);

/** Kinds of edits in the order of their numbers, from 1. */
const KINDS = ["balance", "nonce", "code", "cell", "removal"] as const;
const MAX_NONCE = 2n ** 64n - 1n;
const MAX_BALANCE = 2n ** 256n - 1n;

/** Data of a transaction to the state editor: a list of `[address, number of the kind, values…]`. */
export function encodeStateEdits(edits: readonly StateEdit[]): Uint8Array {
  return encodeRlp(edits.map((edit) => [edit.address, Uint8Array.of(KINDS.indexOf(edit.kind) + 1), ...valuesOf(edit)]));
}

function valuesOf(edit: StateEdit): Uint8Array[] {
  switch (edit.kind) {
    case "balance":
      return [bigintToBytes(edit.balance)];
    case "nonce":
      return [bigintToBytes(edit.nonce)];
    case "code":
      return [edit.code];
    case "cell":
      return [edit.key, edit.value];
    case "removal":
      return [];
  }
}

/** Inverse of {@link encodeStateEdits}. Throws {@link NativeContractError} `INVALID_EDIT`, or `RlpError`. */
export function decodeStateEdits(data: Uint8Array): StateEdit[] {
  return decodeRlpList(data).map((item) => decodeEdit(item));
}

function decodeEdit(item: RlpItem): StateEdit {
  if (!item.isList) throw malformed("not a list");
  const [address, kind, ...values] = item.items.map(({ bytes }) => bytes);
  if (address?.length !== 20) throw malformed("address");
  const name = kind?.length === 1 ? KINDS[kind[0]! - 1] : undefined;
  const [first, second, ...others] = values;
  if (others.length > 0) throw malformed("too many values");
  if (name === "removal" && first === undefined) return { address, kind: name };
  if (first === undefined) throw malformed("kind");
  if (name === "cell" && first.length === 32 && second !== undefined) {
    return { address, kind: name, key: first, value: second };
  }
  if (second !== undefined) throw malformed("values");
  if (name === "code") return { address, kind: name, code: first };
  if (name === "balance") return { address, kind: name, balance: numberOf(first, MAX_BALANCE) };
  if (name === "nonce") return { address, kind: name, nonce: numberOf(first, MAX_NONCE) };
  throw malformed("kind");
}

function numberOf(bytes: Uint8Array, maximum: bigint): bigint {
  const value = bytesToBigint(bytes);
  if (value > maximum) throw malformed(`number above ${maximum}`);
  return value;
}

function malformed(reason: string): NativeContractError {
  return new NativeContractError({ code: "INVALID_EDIT", reason });
}
