const MAX_LEVELS = 10;
const MAX_INT32 = 0x7fffffff;

/**
 * Levels of a path `n/n/…`, undefined if the text is not a path (`spec/04 §6.8`). The first and last characters must be
 * digits. Each level is a non-negative integer as accepted by a strict 32-bit parser.
 */
export function parseDerivationPath(path: string): number[] | undefined {
  if (path.length === 0 || digitValue(path, 0) < 0 || digitValue(path, path.length - 1) < 0) return undefined;
  const levels = path.split("/", MAX_LEVELS + 1).map(parseLevel);
  if (levels.length > MAX_LEVELS) return undefined;
  return levels.every((level) => level !== undefined) ? levels : undefined;
}

/** A decimal integer from 0 to 2^31 - 1, with an optional sign (so `-0` is valid) and any number of leading zeros. */
function parseLevel(text: string): number | undefined {
  const start = text.startsWith("+") || text.startsWith("-") ? 1 : 0;
  if (text.length === start) return undefined;
  let value = 0;
  for (let i = start; i < text.length; i++) {
    const digit = digitValue(text, i);
    if (digit < 0) return undefined;
    value = value * 10 + digit;
    if (value > MAX_INT32) return undefined;
  }
  return text.startsWith("-") && value > 0 ? undefined : value;
}

/**
 * Value of the decimal digit of any script at `index`, or -1. Reads one UTF-16 unit, like the deployed client, so
 * digits beyond the basic plane do not count. Every script has its ten digits in a row, not preceded by another digit.
 */
function digitValue(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code < 0x80) return code >= 0x30 && code <= 0x39 ? code - 0x30 : -1;
  if (!isDigit(code)) return -1;
  let value = 0;
  while (isDigit(code - value - 1)) value++;
  return value;
}

function isDigit(code: number): boolean {
  return /^\p{Nd}$/u.test(String.fromCharCode(code));
}
