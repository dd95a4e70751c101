import { readFileSync } from "node:fs";

/** Names that files export, and names that they import from packages: what the check of public names compares. */

/** An import or re-export of names, as Biome formats it. */
const NAMES_FROM = /^(?:import|export)\s(?:type\s)?\{([^}]*)\}\sfrom\s"([^"\n]+)"/gm;
/** `const { a } = await import("x")`. */
const NAMES_ON_DEMAND = /\bconst\s\{([^}]*)\}\s=\sawait\simport\("([^"\n]+)"\)/g;
const EXPORT_LIST = /^export\s(?:type\s)?\{([^}]*)\}/gm;
const EXPORT_ONE = /^export\s(?:(?:abstract\s|async\s)*(?:function\*?|class|const|interface|type)|\*\sas)\s(\w+)/gm;
const EXPORT_ALL = /^export\s(?:type\s)?\*\sfrom\s/m;

export interface ImportedNames {
  specifier: string;
  names: string[];
}

/** Names that a file exports; undefined if it has an `export *`, which does not name them. */
export function exportedNames(file: string): string[] | undefined {
  const text = readFileSync(file, "utf8");
  if (EXPORT_ALL.test(text)) return undefined;
  const lists = [...text.matchAll(EXPORT_LIST)].flatMap(([, list]) => namesOf(list!).map(({ outer }) => outer));
  return [...lists, ...[...text.matchAll(EXPORT_ONE)].map(([, name]) => name!)];
}

/** Names that a file imports or re-exports, as the imported file calls them. */
export function importedNames(file: string): ImportedNames[] {
  const text = readFileSync(file, "utf8");
  const matches = [...text.matchAll(NAMES_FROM), ...text.matchAll(NAMES_ON_DEMAND)];
  return matches.map(([, list, specifier]) => ({
    specifier: specifier!,
    names: namesOf(list!).map(({ inner }) => inner),
  }));
}

/** Parts of a list such as `type A, b as c`. */
function namesOf(list: string): { inner: string; outer: string }[] {
  const items = list.split(",").map((item) => item.trim().replace(/^type\s/, ""));
  return items
    .filter((item) => item !== "")
    .map((item) => item.split(/\sas\s/))
    .map(([inner, outer = inner]) => ({ inner: inner!, outer: outer! }));
}
