import type { Problem } from "./citations.js";

/** A path from the top or from `packages`, as in `chain/src/rules`, or the end of the path of a source file. */
const PLACES = [
  /(?:packages|docs|test|scripts|packaging)\/[\w./-]+/,
  /[a-z-]+\/(?:src|test|scripts|web)(?:\/[\w./-]+)?/,
  /[\w./-]+\.ts/,
];
const PATH = new RegExp(`^(?:${PLACES.map(({ source }) => source).join("|")})$`);
const SPAN = /`([^`\n]+)`/g;
/** Names in parentheses after a path, as in "`chain/src/faults.ts` (`BlockFault`, `BlockError`)". */
const NAMES = /^\s+\(((?:`\w+`(?:,\s+)?)+)\)/;

/** The files of the repository. */
export interface SourceTree {
  paths: readonly string[];
  read(path: string): string;
}

/** Paths in code spans of a text that do not exist, and names after a path that its files do not contain. */
export function brokenReferences(text: string, { paths, read }: SourceTree): Problem[] {
  const problems: Problem[] = [];
  for (const { 0: span, 1: place, index } of text.matchAll(SPAN)) {
    if (!PATH.test(place!)) continue;
    const found = paths.filter((path) => isAt(path, place!));
    if (found.length === 0) problems.push({ offset: index, message: `${place}: no such file` });
    const [, names = ""] = NAMES.exec(text.slice(index + span.length)) ?? [];
    for (const name of found.length === 0 ? [] : (names.match(/\w+/g) ?? [])) {
      const isThere = found.some((path) => new RegExp(`\\b${name}\\b`).test(read(path)));
      if (!isThere) problems.push({ offset: index, message: `${place} does not contain ${name}` });
    }
  }
  return problems;
}

/** Whether a file is at a place, or below it. A test may be named without its extension. */
function isAt(path: string, place: string): boolean {
  const whole = `/${path}/`;
  return whole.includes(`/${place.replace(/\/$/, "")}/`) || whole.endsWith(`/${place}.test.ts/`);
}
