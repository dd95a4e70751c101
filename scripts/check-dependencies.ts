import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * Checks the third-party packages of package-lock.json that a node runs with: every licence is one that may be combined
 * with Apache-2.0, and npm's audit knows no weakness of high severity. Without an answer of the registry there is no audit.
 */
const LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MPL-2.0",
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

function auditProblems(): string[] {
  const parameters = ["audit", "--omit=dev", "--json"];
  const { stdout } = spawnSync("npm", parameters, { encoding: "utf8", timeout: 120_000 });
  const report = parsed(stdout);
  if (report?.vulnerabilities === undefined) {
    console.log("The registry did not answer the audit: skipped.");
    return [];
  }
  return Object.entries(report.vulnerabilities)
    .filter(([, { severity }]) => severity === "high" || severity === "critical")
    .map(([name, { severity }]) => `${name}: a weakness of ${severity} severity is known; see \`npm audit\``);
}

function parsed(text: string): { vulnerabilities?: Record<string, { severity: string }> } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const problems = [...licenceProblems(), ...auditProblems()];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
