import type { Sections } from "./specification.js";

/** Something that does not resolve, with the offset at which it stands in its file. */
export interface Problem {
  offset: number;
  message: string;
}

/** White space, also across the lines of a comment. */
const SPACE = String.raw`(?:[ \t]|\r?\n[ \t]*(?:\*|//)?)*`;
const SECTION = String.raw`[A-D](?:\.\d+)*|\d+[a-z]?(?:\.\d+)*`;
const PART = /\bspec\/(\d\d[a-z]?(?:-\d)?)\b/g;
/** The next section of the same part: ` §2`, `` `, `§9.6` ``, ` to §8.3`, ` and §4`. */
const NEXT_SECTION = new RegExp(String.raw`^\`?(?:,|,?${SPACE}(?:and|to))?${SPACE}\`?§(${SECTION})`);
/** Numbered entries of the section cited last: `, 30`, `` `, step 3``, `, Q6`, `, steps 2 to 4`. */
const ENTRIES = new RegExp(
  String.raw`^\`?,${SPACE}(?:(?:quirk|step|row|case|item)s?${SPACE})?([QP]?\d+|[a-z](?=[):]))` +
    String.raw`(?:${SPACE}(?:and|to)${SPACE}([QP]?\d+))?(?![\w%§]|\.\d| [a-z]+ §)`,
);

/** Citations in a text (`spec/04 §2.5`, `spec/02 §10, Q18`) that name a part, section or entry which does not exist. */
export function unresolvedCitations(text: string, specification: ReadonlyMap<string, Sections>): Problem[] {
  const problems: Problem[] = [];
  for (const match of text.matchAll(PART)) {
    const report = (message: string) => problems.push({ offset: match.index, message: `spec/${match[1]}${message}` });
    const sections = specification.get(match[1]!);
    if (sections === undefined) report(": no such part");
    else checkSections(text.slice(match.index + match[0].length, match.index + 300), sections, report);
  }
  return problems;
}

function checkSections(rest: string, sections: Sections, report: (message: string) => void): void {
  for (let next = NEXT_SECTION.exec(rest); next !== null; next = NEXT_SECTION.exec(rest)) {
    rest = rest.slice(next[0].length);
    const entries = sections.get(next[1]!);
    if (entries === undefined) {
      report(` §${next[1]}: no such section`);
      continue;
    }
    const cited = ENTRIES.exec(rest);
    if (cited === null) continue;
    rest = rest.slice(cited[0].length);
    for (const entry of cited.slice(1).filter((value) => value !== undefined)) {
      if (!entries.has(entry)) report(` §${next[1]}, ${entry}: no such entry`);
    }
  }
}
