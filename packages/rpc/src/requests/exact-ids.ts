import { endOfString } from "@cambium/api";

/** A numeric id that a JavaScript number cannot represent exactly, as the digits received. */
export class ExactNumber {
  constructor(readonly text: string) {}

  /** Returns a rounded number: JSON text of exact numbers is built by hand. */
  toJSON(): number {
    return Number(this.text);
  }
}

interface Identified {
  id?: unknown;
}

/**
 * Replaces ids beyond the safe integers, which `JSON.parse` rounds, by {@link ExactNumber}: ids are echoed unchanged
 * (`spec/09 §1.5`). `request` is the parsed `text`.
 */
export function keepExactIds(request: object, text: string): void {
  const entries: readonly unknown[] = Array.isArray(request) ? request : [request];
  if (!entries.some(hasRoundedId)) return;
  const texts = numericIds(text, Array.isArray(request));
  entries.forEach((entry, i) => {
    if (hasRoundedId(entry) && texts[i] !== undefined) entry.id = new ExactNumber(texts[i]);
  });
}

function hasRoundedId(entry: unknown): entry is Identified {
  const id = typeof entry === "object" && entry !== null ? (entry as Identified).id : undefined;
  return typeof id === "number" && !Number.isSafeInteger(id);
}

/** Digits of the numeric `id` of each request in a valid JSON text; if the member is repeated, the last one counts. */
function numericIds(text: string, isBatch: boolean): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  const memberDepth = isBatch ? 2 : 1;
  let entry = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") depth--;
    else if (char === "," && isBatch && depth === 1) entry++;
    else if (char === '"') {
      const end = endOfString(text, i);
      if (depth === memberDepth && end - i < 32 && JSON.parse(text.slice(i, end + 1)) === "id") {
        found[entry] = numberAfterColon(text, end + 1) ?? found[entry];
      }
      i = end;
    }
  }
  return found;
}

/**
 * Returns the number after a colon; undefined if the previous string is not a member name or its value is not a number.
 */
function numberAfterColon(text: string, position: number): string | undefined {
  const member = /[ \t\r\n]*:[ \t\r\n]*(-?[0-9][0-9.eE+-]*)/y;
  member.lastIndex = position;
  return member.exec(text)?.[1];
}
