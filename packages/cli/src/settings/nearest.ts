/** Maximum number of edits between a name and its misspelling. */
const MAX_EDITS = 3;
/** Maximum length of a name that is compared. Longer names are not misspellings. */
export const MAX_NAME = 80;

/** Returns the name that a misspelt one may mean; undefined if none is similar. */
export function nearest(misspelt: string, names: readonly string[]): string | undefined {
  if (misspelt.length > MAX_NAME) return undefined;
  const counted = names.map((name) => ({ name, edits: edits(misspelt, name) }));
  const best = counted.reduce((best, one) => (one.edits < best.edits ? one : best));
  return best.edits <= MAX_EDITS ? best.name : undefined;
}

/** Letters to insert, delete or replace. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
