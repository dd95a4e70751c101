/** Longest line of a comment or of Markdown prose, in characters. */
const MAX_COLUMNS = 120;

/** Characters of a word, or of code, with which a line may be longer. */
const LONG_WORD = 60;

/** Words that a reader stumbles over, and what to write instead: the table in CONTRIBUTING.md has more. */
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
];

/** First words of clauses without a head, with which a comment must not begin. */
const COMMENT_OPENING = /^(Of|As|Who|Which|That|What)\b/;

/** The same for lines of Markdown, where sentences that begin with the other words are common. */
const LINE_OPENING = /^(Who|What waits|That all|Of those)\b/;

export interface Stumble {
  /** Counted from 1. */
  line: number;
  message: string;
}

/** Finds stumbles in the comments of a TypeScript file. */
export function stumblesInCode(text: string): Stumble[] {
  let hasBegun = false;
  return text.split("\n").flatMap((content, index) => {
    const [, mark, comment] = /^\s*(\/\*\*?|\*(?!\/)|\/\/) ?(.*?)(?:\*\/)?$/.exec(content) ?? [];
    if (mark === undefined || comment === undefined) {
      hasBegun = false;
      return [];
    }
    if (mark.startsWith("/*")) hasBegun = false;
    const opening = hasBegun ? undefined : COMMENT_OPENING;
    hasBegun = (hasBegun || comment !== "") && !content.includes("*/");
    return stumbles(content, comment, index + 1, opening);
  });
}

/** Finds stumbles in the prose of a Markdown file: not in its code, tables and headings. */
export function stumblesInMarkdown(text: string): Stumble[] {
  let inCode = false;
  return text.split("\n").flatMap((content, index) => {
    if (/^\s*(```|~~~)/.test(content)) inCode = !inCode;
    const isProse = !inCode && !/^(\s*(```|\||#|<)| {4,}(?![-*] |\d+\. ))/.test(content);
    return isProse ? stumbles(content, content.trim(), index + 1, LINE_OPENING) : [];
  });
}

function stumbles(content: string, prose: string, line: number, opening: RegExp | undefined): Stumble[] {
  const refused = opening === undefined ? REFUSED : [...REFUSED, [opening, "a verb or a noun"] as const];
  const found = refused.flatMap(([pattern, better]) => {
    const word = pattern.exec(prose.replace(/`[^`]*`/g, ""))?.[0];
    return word === undefined ? [] : [{ line, message: `"${word}": write ${better}` }];
  });
  const words = prose.match(/(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+/g) ?? [];
  const isLong = content.length > MAX_COLUMNS && words.every(({ length }) => length < LONG_WORD);
  return isLong ? [...found, { line, message: `${content.length} columns, at most ${MAX_COLUMNS}` }] : found;
}
