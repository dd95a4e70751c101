import { endOfString } from "@cambium/api";

/** Number of digits below which a literal is a safe integer. */
const SAFE_DIGITS = 15;

/**
 * Replaces the integers in parameters that `JSON.parse` rounds by their decimal texts. Every type that accepts a number
 * accepts such a text. `request` is the parsed `text`.
 */
export function keepExactParams(request: object, text: string): void {
  const entries = entriesOf(request);
  if (!entries.some((entry) => hasRounded(paramsOf(entry)))) return;
  const exact = entriesOf(JSON.parse(withQuotedIntegers(text)));
  entries.forEach((entry, i) => {
    if (hasRounded(paramsOf(entry))) (entry as { params: unknown }).params = paramsOf(exact[i]);
  });
}

function entriesOf(request: unknown): readonly unknown[] {
  return Array.isArray(request) ? request : [request];
}

function paramsOf(entry: unknown): unknown {
  return typeof entry === "object" && entry !== null ? (entry as { params?: unknown }).params : undefined;
}

function hasRounded(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) ? value.some(hasRounded) : Object.values(value).some(hasRounded);
}

/** Returns the JSON text with quotes around the literals of large integers. */
function withQuotedIntegers(text: string): string {
  const number = /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
  let quoted = "";
  let copied = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') {
      i = endOfString(text, i);
      continue;
    }
    number.lastIndex = i;
    const [literal, fraction, exponent] = number.exec(text) ?? [];
    if (literal === undefined) continue;
    const end = i + literal.length;
    if (literal.length > SAFE_DIGITS && fraction === undefined && exponent === undefined) {
      quoted += `${text.slice(copied, i)}"${literal}"`;
      copied = end;
    }
    i = end - 1;
  }
  return quoted + text.slice(copied);
}
