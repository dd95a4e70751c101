/** A suite in docs/client-tools.md. */
export interface DocumentedSuite {
  /** Number of tests that pass on this chain. */
  passed: number;
  /** Tests that do not pass on this chain, sorted. */
  failed: readonly string[];
}

const HEADING = "\n## Test suites: `npm run test:tools`\n";

/** Parses the table of all suites, and the list of a suite's tests that this chain does not pass. */
export function documentedSuite(markdown: string, name: string): DocumentedSuite {
  const [, after] = markdown.split(HEADING);
  const section = after?.split(/\n## /)[0];
  if (section === undefined) throw new Error(`docs/client-tools.md has no section "${HEADING.trim()}"`);
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map(cells);
  const header = rows.find(([first]) => first === "Suite");
  const row = rows.find(([first]) => first === name);
  if (header === undefined || row === undefined) throw new Error(`docs/client-tools.md has no row "${name}" of suites`);
  const passed = Number(row[header.indexOf("Cambium")]);
  const failed = rows
    .filter(([suite, , tests]) => suite === name && tests?.startsWith("`"))
    .flatMap(([, , tests]) => {
      return [...tests!.matchAll(/`([^`]+)`/g)].map(([, test]) => test!);
    });
  return { passed, failed: failed.toSorted() };
}

function cells(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

const METHODS_HEADING = "\n### Which tool calls which method\n";

/** The suites and tours that call a method, by the table of methods. */
export function callersOf(markdown: string, method: string): string[] {
  const [, after] = markdown.split(METHODS_HEADING);
  const section = after?.split(/\n##/)[0];
  if (section === undefined) throw new Error(`docs/client-tools.md has no section "${METHODS_HEADING.trim()}"`);
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map(cells).flatMap(([name, callers]) => (name === `\`${method}\`` ? callers!.split(", ") : []));
}
