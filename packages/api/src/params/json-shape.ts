import { invalidRequest, type RpcError } from "../errors.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Members of objects in one text. They are expensive to parse: a text of 5 MB has room for a million. */
const MAX_MEMBERS = 20_000;
/** Brackets, commas and strings in one text: more than its values. */
const MAX_ELEMENTS = 100_000;
/** Characters outside of strings in one text, which are examined one by one: digits and white space, too. */
const MAX_OUTSIDE = 1_048_576;
/** Shorter texts have few elements. */
const MIN_CHECKED_LENGTH = 16_384;

/**
 * Returns the error for a text whose values are nested deeper than `maxDepth`, or that has more values than any method
 * needs. The check precedes parsing, and takes less time. The text may be malformed.
 */
export function shapeRefusal(text: string, maxDepth: number): RpcError | undefined {
  if (text.length < Math.min(2 * maxDepth, MIN_CHECKED_LENGTH)) return undefined;
  let [depth, elements, members, outside] = [0, 0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    if (++outside > MAX_OUTSIDE)
      return invalidRequest(`Requests have at most ${MAX_OUTSIDE} characters outside of strings`);
    switch (text.charCodeAt(i)) {
      case QUOTE:
        elements++;
        i = endOfString(text, i);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        elements++;
        if (++depth > maxDepth) return invalidRequest("Invalid request");
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
        break;
      case COLON:
        if (++members > MAX_MEMBERS) return invalidRequest(`Requests have at most ${MAX_MEMBERS} members`);
        break;
      case COMMA:
        elements++;
    }
    if (elements > MAX_ELEMENTS) return invalidRequest(`Requests have at most ${MAX_ELEMENTS} values`);
  }
  return undefined;
}

/** Position of the closing quote of the string that opens at `start`; the length of the text if there is none. */
export function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, start, end));
  return end;
}

/** Whether an odd number of backslashes precedes a position in the string that opens at `start`. */
function isEscaped(text: string, start: number, position: number): boolean {
  let first = position;
  while (first - 1 > start && text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (position - first) % 2 === 1;
}
