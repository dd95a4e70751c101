import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Checks the third-party packages of package-lock.json that a node runs with: their licences may be combined with
 * Apache-2.0, and `npm audit` reports no vulnerability of high or critical severity. If the registry does not answer
 * the audit, it is counted as skipped: an outage of the registry says nothing about the packages. Ends with counts in
 * the form of mocha, which `test/run.ts` reads.
 */

/** A check that could not be made. */
interface Skipped {
  skipped: string;
}

const LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MPL-2.0",
  "Unlicense",
]);

interface LockedPackage {
  license?: string;
  dev?: boolean;
  link?: boolean;
}

/** Whether one side of `A OR B` is in the list. */
function isAllowed(licence: string | undefined): boolean {
  const choices = licence?.replace(/^\(|\)$/g, "").split(" OR ") ?? [];
  return choices.some((choice) => LICENCES.has(choice));
}

function licenceProblems(): string[] {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes("node_modules/") && dev !== true && link !== true)
    .filter(([, { license }]) => !isAllowed(license))
    .map(([path, { license }]) => `${path}: licence ${license ?? "unknown"} is not in the list of allowed ones`);
}

function auditProblems(): string[] | Skipped {
  const parameters = ["audit", "--omit=dev", "--json"];
  const { stdout, error } = spawnSync("npm", parameters, { encoding: "utf8", timeout: 120_000 });
  const report = parsed(stdout);
  if (report?.vulnerabilities === undefined) {
    return { skipped: `no answer of the registry (${report?.message ?? error?.message ?? "no JSON"})` };
  }
  return Object.entries(report.vulnerabilities)
    .filter(([, { severity }]) => severity === "high" || severity === "critical")
    .map(([name, { severity }]) => `${name} has a vulnerability of ${severity} severity: see npm audit`);
}

interface AuditReport {
  vulnerabilities?: Record<string, { severity: string }>;
  /** Reason why the audit failed. */
  message?: string;
}

function parsed(text: string): AuditReport | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const counts = { passing: 0, pending: 0, failing: 0 };
for (const [name, check] of [
  ["licences", licenceProblems],
  ["vulnerabilities", auditProblems],
] as const) {
  const result = check();
  const isSkipped = "skipped" in result;
  const problems = isSkipped ? [result.skipped] : result;
  const outcome = problems.length === 0 ? "passing" : isSkipped ? "pending" : "failing";
  counts[outcome]++;
  console.log(`${name}: ${outcome === "passing" ? "passed" : outcome === "pending" ? "SKIPPED" : "FAILED"}`);
  for (const problem of problems) console.log(`  ${problem}`);
}
for (const [outcome, count] of Object.entries(counts)) if (count > 0) console.log(`${count} ${outcome}`);
process.exitCode = counts.failing === 0 ? 0 : 1;
