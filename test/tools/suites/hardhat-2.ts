import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, runIn } from "../tours/commands.js";
import { toolPath } from "./chains.js";
import { copyProject } from "./project.js";
import { parseMochaReport, type Suite, type SuiteReport } from "./suite.js";

const HARDHAT = toolPath("hardhat");
const ENVIRONMENT = { HARDHAT_DISABLE_TELEMETRY_PROMPT: "true" };

let folder: Promise<string> | undefined;

async function prepare(): Promise<string> {
  const project = copyProject("hardhat-2");
  await runIn(project, [HARDHAT, "compile"], ENVIRONMENT);
  return project;
}

/** The report of a mocha run by Hardhat in a folder, with the report's path in `REPORT`. */
export async function mochaReport(
  folder: string,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<SuiteReport> {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  // The command fails if a test does; the report exists regardless.
  const output = await runIn(folder, command, { ...ENVIRONMENT, ...env, REPORT: report }).catch(String);
  try {
    return parseMochaReport(readFileSync(report, "utf8"));
  } catch (cause) {
    throw new Error(`${command.join(" ")} reported nothing: ${output}`, { cause });
  }
}

function suite(name: string, file: string): Suite {
  return {
    name,
    missing: isInstalled(HARDHAT) ? undefined : "Hardhat 2",
    async run(url) {
      const test = [HARDHAT, "test", "--network", "other", "--no-compile", join("test", file)];
      return mochaReport(await (folder ??= prepare()), test, { NODE_URL: url });
    },
  };
}

/** A project with Hardhat 2: its helpers, its matchers, its deployments. */
export const HARDHAT_2_SUITES: readonly Suite[] = [
  suite("network-helpers (Hardhat 2)", "network-helpers.cjs"),
  suite("chai matchers (Hardhat 2)", "chai-matchers.cjs"),
  suite("Ignition (Hardhat 2)", "ignition.cjs"),
];
