import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { runIn } from "../tours/commands.js";
import { INSTALL } from "../tours/libraries.js";

/** Path of a Node.js that is new enough for Hardhat 3, if this one is not. */
export const NODE = process.env.NODE_22 ?? process.execPath;
export const OLDEST_NODE = 22;

export function isNodeNewEnough(): boolean {
  const version = spawnSync(NODE, ["--version"], { encoding: "utf8" }).stdout ?? "";
  return Number(version.match(/^v(\d+)/)?.[1]) >= OLDEST_NODE;
}

/**
 * Installs the packages of a project with that Node.js: npm leaves out optional packages, such as Hardhat's native
 * code, if its own Node.js is too old for them.
 */
export async function installWithNewNode(project: string): Promise<void> {
  await runIn(project, INSTALL, { PATH: `${dirname(NODE)}${delimiter}${process.env.PATH}` });
}
