import { bigintToBytes, bigintToTwosComplement, encodeRlp, numberToBytes } from "@cambium/primitives";
import { unsignedBigint } from "./big-endian.js";
import { StateError } from "./errors.js";

/** An account record. */
export interface Account {
  nonce: bigint;
  /** Balance in wei; negative only within a transaction. */
  balance: bigint;
  /** Bit field. Bit 0 is "hibernated", never set on the live networks. */
  flags: number;
}

export const HIBERNATED = 1;

const SHORT_STRING = 0x80;
const SHORT_LIST = 0xc0;
const SHORT_LIMIT = 56;

/** Encodes an account record as stored (`spec/01 §4.5`). */
export function encodeAccount(account: Account): Uint8Array {
  const items = [bigintToBytes(account.nonce), bigintToTwosComplement(account.balance)];
  if (account.flags !== 0) items.push(numberToBytes(account.flags));
  return encodeRlp(items);
}

/**
 * Strict inverse of {@link encodeAccount}. Throws {@link StateError} `MALFORMED_ACCOUNT` if the bytes are not
 * canonical.
 */
export function decodeAccount(bytes: Uint8Array): Account {
  const reader = new RecordReader(bytes);
  const nonce = reader.unsigned("nonce");
  const balance = reader.signed("balance");
  const flags = reader.atEnd ? 0 : reader.flags();
  if (!reader.atEnd) throw malformed("number of items");
  return { nonce, balance, flags };
}

/** Reads the items of an account record in order and accepts only their canonical encoding. */
class RecordReader {
  #offset = 1;

  constructor(private readonly bytes: Uint8Array) {
    // Nonce, balance and flags stay far below the 56 bytes at which a list needs a longer prefix.
    if (bytes[0] !== SHORT_LIST + bytes.length - 1 || bytes.length > SHORT_LIMIT) throw malformed("list prefix");
  }

  get atEnd(): boolean {
    return this.#offset === this.bytes.length;
  }

  unsigned(item: string): bigint {
    const [from, to] = this.#item(item);
    if (this.bytes[from] === 0 && to > from) throw malformed(item);
    return unsignedBigint(this.bytes, from, to);
  }

  /** Reads the flags. Zero is omitted from the record, so an encoded zero is malformed. */
  flags(): number {
    const flags = Number(this.unsigned("flags"));
    if (flags === 0 || flags > 0x7fffffff) throw malformed("flags");
    return flags;
  }

  signed(item: string): bigint {
    const [from, to] = this.#item(item);
    const first = this.bytes[from]!;
    const second = this.bytes[from + 1]!;
    if (from === to) throw malformed(item);
    if (to - from > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80))) throw malformed(item);
    return first < 0x80
      ? unsignedBigint(this.bytes, from, to)
      : BigInt.asIntN((to - from) * 8, unsignedBigint(this.bytes, from, to));
  }

  /** Returns start and end of the next string's content. */
  #item(item: string): [from: number, to: number] {
    const from = this.#offset;
    const first = this.bytes[from];
    if (first === undefined || first >= SHORT_STRING + SHORT_LIMIT) throw malformed(item);
    if (first < SHORT_STRING) {
      this.#offset = from + 1;
      return [from, from + 1];
    }
    const to = from + 1 + first - SHORT_STRING;
    if (to > this.bytes.length || (to === from + 2 && this.bytes[from + 1]! < SHORT_STRING)) throw malformed(item);
    this.#offset = to;
    return [from + 1, to];
  }
}

function malformed(reason: string): StateError {
  return new StateError({ code: "MALFORMED_ACCOUNT", reason });
}
