const MAX_LEVELS = 10;
const MAX_INT32 = 0x7fffffff;
const SLASH = 0x2f;
const PLUS = 0x2b;
const MINUS = 0x2d;

/**
 * Levels of a path `n/n/…` in UTF-8, undefined if the text is not a path (`spec/04 §6.8`). The first and last
 * characters must be digits. Each level is a non-negative integer as accepted by a strict 32-bit parser. Reads bytes,
 * because a call with a megabyte of text costs no more than any other.
 */
export function parseDerivationPath(path: Uint8Array): number[] | undefined {
  const levels: number[] = [];
  for (let start = 0; start <= path.length; ) {
    if (levels.length === MAX_LEVELS) return undefined;
    const slash = path.indexOf(SLASH, start);
    const end = slash < 0 ? path.length : slash;
    const level = parseLevel(path, start, end);
    if (level === undefined) return undefined;
    levels.push(level);
    start = end + 1;
  }
  return isSign(path[0]) ? undefined : levels;
}

function isSign(byte: number | undefined): boolean {
  return byte === PLUS || byte === MINUS;
}

/** A decimal integer from 0 to 2^31 - 1, with an optional sign (so `-0` is valid) and any number of leading zeros. */
function parseLevel(path: Uint8Array, start: number, end: number): number | undefined {
  const first = isSign(path[start]) ? start + 1 : start;
  if (first >= end) return undefined;
  let value = 0;
  for (let at = first; at < end; ) {
    const byte = path[at]!;
    const code = byte < 0x80 ? byte : characterAt(path, at, end);
    const digit = byte < 0x80 ? code - 0x30 : foreignDigit(code);
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
    if (value > MAX_INT32) return undefined;
    at += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  return path[start] === MINUS && value > 0 ? undefined : value;
}

/** Code of a character of two or three bytes, or 0. Longer ones are beyond the basic plane, where no digits count. */
function characterAt(path: Uint8Array, at: number, end: number): number {
  const isThree = path[at]! >= 0xe0;
  const size = isThree ? 3 : 2;
  if (path[at]! >= 0xf0 || at + size > end) return 0;
  let code = path[at]! & (isThree ? 0x0f : 0x1f);
  for (let i = at + 1; i < at + size; i++) {
    if ((path[i]! & 0xc0) !== 0x80) return 0;
    code = (code << 6) | (path[i]! & 0x3f);
  }
  const isShortest = code >= (isThree ? 0x800 : 0x80);
  return isShortest && path[at]! >= 0xc0 ? code : 0;
}

/** Value of a decimal digit of a script other than Latin, or -1. */
function foreignDigit(code: number): number {
  digits ??= digitTable();
  return digits[code]! - 1;
}

/** Values of the digits of the basic plane plus 1, by code; 0 for all other characters. */
let digits: Uint8Array | undefined;

/** Every script has its ten digits in a row, not preceded by another digit. */
function digitTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (let code = 0x80; code < table.length; code++) {
    if (/^\p{Nd}$/u.test(String.fromCharCode(code))) table[code] = table[code - 1]! + 1;
  }
  return table;
}
