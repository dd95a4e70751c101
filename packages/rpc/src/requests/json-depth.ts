const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether arrays and objects in a valid JSON text are nested deeper than `limit`. */
export function isDeeperThan(text: string, limit: number): boolean {
  if (text.length < 2 * limit) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) {
      i = endOfString(text, i);
    } else if (char === 0x5b || char === 0x7b) {
      if (++depth > limit) return true;
    } else if (char === 0x5d || char === 0x7d) {
      depth--;
    }
  }
  return false;
}

/** Position of the closing quote of the string that opens at `start`. */
export function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}
