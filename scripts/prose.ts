/** Longest line of a comment or of Markdown prose, in characters. */
const MAX_COLUMNS = 120;

/** Characters of a word, or of code, with which a line may be longer. */
const LONG_WORD = 60;

/** Words and openings that a reader stumbles over, and what to write instead: the table in CONTRIBUTING.md has more. */
const REFUSED: readonly [RegExp, string][] = [
  [/\banew\b/, "again"],
  [/\bany more\b/, "no longer"],
  [/\b(nobody|somebody)\b/, "no client, no peer, a caller"],
  [/\bunder way\b/, "in progress"],
  [/\b(hands|handed|handing) (out|over)\b/, "serves, passes"],
  [/\b(is|are) told\b/, "is notified, receives"],
  [/\bhears? of\b/, "receives"],
  [/\bas may be\b/, "as possible"],
  [/\bthe like\b/, "the noun"],
  [/\bgoes on\b/, "continues"],
  [/^(Who|What waits|That all|Of those)\b/, "a verb or a noun"],
];

export interface Stumble {
  /** Counted from 1. */
  line: number;
  message: string;
}

/** Finds stumbles in the comments of a TypeScript file. */
export function stumblesInCode(text: string): Stumble[] {
  return text.split("\n").flatMap((content, index) => {
    const comment = /^\s*(?:\/\*\*? ?|\*(?!\/) ?|\/\/ ?)(.*?)(?:\*\/)?$/.exec(content)?.[1];
    return comment === undefined ? [] : stumbles(content, comment, index + 1);
  });
}

/** Finds stumbles in the prose of a Markdown file: not in its code, tables and headings. */
export function stumblesInMarkdown(text: string): Stumble[] {
  let inCode = false;
  return text.split("\n").flatMap((content, index) => {
    if (/^\s*(```|~~~)/.test(content)) inCode = !inCode;
    const isProse = !inCode && !/^(\s*(```|\||#|<)| {4,}(?![-*] |\d+\. ))/.test(content);
    return isProse ? stumbles(content, content.trim(), index + 1) : [];
  });
}

function stumbles(content: string, prose: string, line: number): Stumble[] {
  const found = REFUSED.flatMap(([pattern, better]) => {
    const word = pattern.exec(prose.replace(/`[^`]*`/g, ""))?.[0];
    return word === undefined ? [] : [{ line, message: `"${word}": write ${better}` }];
  });
  const words = prose.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g) ?? [];
  const isLong = content.length > MAX_COLUMNS && words.every(({ length }) => length < LONG_WORD);
  return isLong ? [...found, { line, message: `${content.length} columns, at most ${MAX_COLUMNS}` }] : found;
}
