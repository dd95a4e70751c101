import { createHash } from "node:crypto";
import { bigintToBytes, bytesToBigint, concatBytes, equalBytes } from "./bytes.js";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const CHECKSUM_LENGTH = 4;

/** Base58 as used by the parent chain: each leading zero byte becomes a `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  let digits = "";
  for (let rest = bytesToBigint(bytes); rest > 0n; rest /= 58n) digits = ALPHABET[Number(rest % 58n)]! + digits;
  return "1".repeat(leadingZeros(bytes)) + digits;
}

/** Decodes base58 text; undefined if it contains an invalid character. Time is quadratic in the length. */
export function decodeBase58(text: string): Uint8Array | undefined {
  let value = 0n;
  let ones = 0;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    if (value === 0n && digit === 0) ones++;
    value = value * 58n + BigInt(digit);
  }
  return concatBytes(new Uint8Array(ones), bigintToBytes(value));
}

function leadingZeros(bytes: Uint8Array): number {
  let count = 0;
  while (count < bytes.length && bytes[count] === 0) count++;
  return count;
}

/** Base58 of the payload followed by a checksum, the first bytes of its double SHA-256. */
export function encodeBase58Check(payload: Uint8Array): string {
  return encodeBase58(concatBytes(payload, checksum(payload)));
}

/** Payload of base58 text with a valid checksum, otherwise undefined. */
export function decodeBase58Check(text: string): Uint8Array | undefined {
  const bytes = decodeBase58(text);
  if (bytes === undefined || bytes.length < CHECKSUM_LENGTH) return undefined;
  const payload = bytes.subarray(0, -CHECKSUM_LENGTH);
  return equalBytes(checksum(payload), bytes.subarray(-CHECKSUM_LENGTH)) ? payload : undefined;
}

function checksum(payload: Uint8Array): Uint8Array {
  const inner = createHash("sha256").update(payload).digest();
  return createHash("sha256").update(inner).digest().subarray(0, CHECKSUM_LENGTH);
}
