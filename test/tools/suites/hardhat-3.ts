import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runIn } from "../tours/commands.js";
import { installWithNewNode, isNodeNewEnough, NODE, OLDEST_NODE } from "./node-22.js";
import { copyProject } from "./project.js";
import type { Suite, SuiteReport } from "./suite.js";

const SOURCE = fileURLToPath(new URL("hardhat-3", import.meta.url));
const CONTRACTS = fileURLToPath(new URL("hardhat-2/contracts", import.meta.url));
const ENVIRONMENT = { HARDHAT_DISABLE_TELEMETRY_PROMPT: "true" };

let folder: Promise<string> | undefined;

/** Prepares a folder with separate packages, because those next to it are of Hardhat 2. */
async function prepare(): Promise<string> {
  const packages = join(SOURCE, "node_modules");
  if (!existsSync(packages)) await installWithNewNode(SOURCE);
  const project = copyProject("hardhat-3");
  rmSync(join(project, "node_modules"), { recursive: true, force: true });
  symlinkSync(packages, join(project, "node_modules"), "dir");
  cpSync(CONTRACTS, join(project, "contracts"), { recursive: true });
  await runIn(project, hardhat("compile"), ENVIRONMENT);
  return project;
}

function hardhat(...args: string[]): string[] {
  return [NODE, "node_modules/hardhat/dist/src/cli.js", ...args];
}

async function tour(url: string): Promise<SuiteReport> {
  const project = await (folder ??= prepare());
  const report = join(project, "report.json");
  rmSync(report, { force: true });
  await runIn(project, hardhat("run", "--no-compile", "tour.mjs"), { ...ENVIRONMENT, NODE_URL: url, REPORT: report });
  return JSON.parse(readFileSync(report, "utf8"));
}

const missing = isNodeNewEnough() ? undefined : `Node.js ${OLDEST_NODE} (NODE_22)`;

/** A project with Hardhat 3: its plug-ins for ethers and viem, and its helpers. */
export const HARDHAT_3_SUITES: readonly Suite[] = [{ name: "Hardhat 3", missing, run: tour }];
