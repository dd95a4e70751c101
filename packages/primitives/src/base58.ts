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

/** Decodes base58 text; undefined if it contains an invalid character. */
export function decodeBase58(text: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]*$/.test(text)) return undefined;
  let ones = 0;
  while (text[ones] === "1") ones++;
  return concatBytes(new Uint8Array(ones), bigintToBytes(valueOfDigits(text)));
}

/** Number of digits whose value is a safe integer. */
const CHUNK = 9;
/** Weight of the upper one of two parts, by the level at which they are joined. Filled as longer texts are decoded. */
const BASES: bigint[] = [58n ** BigInt(CHUNK)];
/** Values of the digits by ASCII code. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, ALPHABET.indexOf(String.fromCharCode(code))));

/**
 * Returns the value of base58 digits. Joins neighbouring parts until one is left: appending single digits takes
 * quadratic time, and callers of the bridge do not pay for that.
 */
function valueOfDigits(text: string): bigint {
  // The least significant part is the first one.
  let parts: bigint[] = [];
  for (let end = text.length; end > 0; end -= CHUNK) {
    let value = 0;
    for (let i = Math.max(0, end - CHUNK); i < end; i++) value = value * 58 + DIGITS[text.charCodeAt(i)]!;
    parts.push(BigInt(value));
  }
  for (let level = 0; parts.length > 1; level++) {
    const base = (BASES[level] ??= BASES[level - 1]! ** 2n);
    const joined: bigint[] = [];
    for (let i = 0; i < parts.length; i += 2) {
      const upper = parts[i + 1];
      joined.push(upper === undefined ? parts[i]! : parts[i]! + upper * base);
    }
    parts = joined;
  }
  return parts[0] ?? 0n;
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
