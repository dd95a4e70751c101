import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Problem } from "./citations.js";

const LINK = /\]\(([^()\s]+)\)/g;
const CODE = /^```.*?^```|`[^`\n]*`/gms;

/** Relative links of a Markdown file whose target, or the heading in it, does not exist. */
export function brokenLinks(path: string, text: string): Problem[] {
  const prose = text.replace(CODE, (code) => " ".repeat(code.length));
  const problems: Problem[] = [];
  for (const { 1: link, index } of prose.matchAll(LINK)) {
    if (/^[a-z]+:/.test(link!)) continue;
    const [file, anchor] = link!.split("#");
    const target = file === "" ? path : resolve(dirname(path), file!);
    if (!existsSync(target)) problems.push({ offset: index, message: `link to ${link}: no such file` });
    else if (anchor && statSync(target).isFile() && !anchorsOf(readFileSync(target, "utf8")).has(anchor))
      problems.push({ offset: index, message: `link to ${link}: no such heading` });
  }
  return problems;
}

/** Names under which headings can be linked, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, heading] of text.matchAll(/^#+ (.*)$/gm)) {
    const plain = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const name = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
    let unique = name;
    for (let count = 1; names.has(unique); count++) unique = `${name}-${count}`;
    names.add(unique);
  }
  return names;
}
