/** The lines that a tour printed. */
export interface TourReport {
  passed: string[];
  failed: { method: string; why: string }[];
  notApplicable: NotApplicable[];
}

export interface NotApplicable {
  method: string;
  reason: string;
}

const LINE = /^(passed|failed|not applicable) ([^:\s]+)(?:: (.*))?$/;

/** Parses the output of a tour; other lines are the library's. */
export function parseReport(output: string): TourReport {
  const report: TourReport = { passed: [], failed: [], notApplicable: [] };
  for (const line of output.split("\n")) {
    const [, outcome, method, text = ""] = line.trimEnd().match(LINE) ?? [];
    if (outcome === "passed") report.passed.push(method!);
    if (outcome === "failed") report.failed.push({ method: method!, why: text });
    if (outcome === "not applicable") report.notApplicable.push({ method: method!, reason: text });
  }
  return report;
}

/**
 * Returns the entry of a library in docs/client-tools.md: how many methods pass, and the table of those that do not
 * apply.
 */
export function documentedReport(
  markdown: string,
  library: string,
): { passed: number; notApplicable: NotApplicable[] } {
  const [, section] = markdown.split(`\n### ${library}\n`);
  if (section === undefined) throw new Error(`docs/client-tools.md has no section "### ${library}"`);
  const [text] = section.split(/\n##/);
  const passed = Number(text!.match(/(\d+) methods\s+pass/)?.[1]);
  const rows = [...text!.matchAll(/^\| (.*?) \| (`.*`) \|$/gm)];
  const notApplicable = rows.flatMap(([, reason, names]) => {
    return [...names!.matchAll(/`([^`]+)`/g)].map(([, method]) => ({ method: method!, reason: reason! }));
  });
  return { passed, notApplicable };
}

/** Sorts methods in an order that does not depend on that of the calls. */
export function sorted(methods: readonly NotApplicable[]): string[] {
  return methods.map(({ method, reason }) => `${method}: ${reason}`).toSorted();
}

/** Methods that fail in a mode of JSON-RPC, by the table "Limits of a mode". */
export function documentedFailures(markdown: string, library: string, mode: string): string[] {
  const [, section = ""] = markdown.split("\n### Limits of a mode\n");
  const [text] = section.split(/\n##/);
  const rows = [...text!.matchAll(/^\| (.*?) \| (.*?) \| (`.*`) \| .* \|$/gm)];
  const names = rows.filter(([, of, modes]) => of === library && modes!.split(", ").includes(mode));
  return names.flatMap(([, , , methods]) => [...methods!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)).toSorted();
}
