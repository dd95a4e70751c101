import {
  bigintToBytes,
  bigintToTwosComplement,
  bytesToBigint,
  bytesToNumber,
  decodeRlpList,
  encodeRlp,
  numberToBytes,
  RlpError,
  twosComplementToBigint,
} from "@cambium/primitives";
import { StateError } from "./errors.js";

/** An account record. */
export interface Account {
  nonce: bigint;
  /** Wei; negative only within a transaction. */
  balance: bigint;
  /** Bit 0 is "hibernated", never set on the live networks. */
  flags: number;
}

export const HIBERNATED = 1;

/** Account record as stored: `spec/01 §4.5`. */
export function encodeAccount(account: Account): Uint8Array {
  const items = [bigintToBytes(account.nonce), bigintToTwosComplement(account.balance)];
  if (account.flags !== 0) items.push(numberToBytes(account.flags));
  return encodeRlp(items);
}

/** Strict inverse of {@link encodeAccount}. Throws {@link StateError} `MALFORMED_ACCOUNT`. */
export function decodeAccount(bytes: Uint8Array): Account {
  const items = listOf(bytes);
  if (items.length !== 2 && items.length !== 3) throw malformed("number of items");
  const [nonce, balance, flags] = items;
  if (nonce!.length > 0 && nonce![0] === 0) throw malformed("nonce");
  const account = {
    nonce: bytesToBigint(nonce!),
    balance: twosComplementToBigint(balance!),
    flags: flags === undefined ? 0 : bytesToNumber(flags),
  };
  const expected = encodeAccount(account);
  if (expected.length !== bytes.length || expected.some((byte, i) => byte !== bytes[i])) {
    throw malformed("not in canonical form");
  }
  return account;
}

function listOf(bytes: Uint8Array): Uint8Array[] {
  try {
    return decodeRlpList(bytes).map((item) => item.bytes);
  } catch (error) {
    if (error instanceof RlpError) throw malformed(error.message);
    throw error;
  }
}

function malformed(reason: string): StateError {
  return new StateError({ code: "MALFORMED_ACCOUNT", reason });
}
