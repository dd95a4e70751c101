import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Sections of one part of the specification, each with the numbers of the quirks, steps and rows listed in it. */
export type Sections = ReadonlyMap<string, ReadonlySet<string>>;

const PART_FILE = /^(\d\d[a-z]?(?:-\d)?)-.*\.md$/;
const HEADING = /^#+ (?:Part )?([A-D](?:\.\d+)*|\d+[a-z]?(?:\.\d+)*)\.? /;
/**
 * A numbered list entry or line of pseudocode, a named quirk (`- **Q6`, `- P9.`), or a table row that begins with a
 * number.
 */
const ENTRY = /^\s*(?:[-*] (?:\*\*)?([A-Z]\d+)\b|(\d+)\.? +|([a-z])\. |\| (\d+) \|)/;
/** Entries within a line: `… (5.2). 3. peg-out requests`, `(1) operand is …; (2) …`. */
const INLINE_ENTRY = /(?<=[.:;)] )(\d+)\. |\((\d+)\) /g;

/** Every part of the specification by the name it is cited with: `04`, `06b-1`. */
export function readSpecification(folder: string): Map<string, Sections> {
  const parts = new Map<string, Sections>();
  for (const file of readdirSync(folder)) {
    const part = PART_FILE.exec(file)?.[1];
    if (part !== undefined) parts.set(part, readSections(readFileSync(join(folder, file), "utf8")));
  }
  return parts;
}

function readSections(text: string): Sections {
  const sections = new Map<string, Set<string>>();
  let entries = new Set<string>();
  for (const line of text.split("\n")) {
    const section = HEADING.exec(line)?.[1];
    if (section !== undefined) {
      entries = new Set();
      sections.set(section, entries);
    } else {
      const entry = ENTRY.exec(line)?.slice(1).find(Boolean);
      if (entry !== undefined) entries.add(entry);
      for (const [, step, item] of line.matchAll(INLINE_ENTRY)) entries.add((step ?? item)!);
    }
  }
  return sections;
}
