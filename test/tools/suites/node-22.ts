import { spawnSync } from "node:child_process";

/** Path of a Node.js that is new enough for Hardhat 3, if this one is not. */
export const NODE = process.env.NODE_22 ?? process.execPath;
export const OLDEST_NODE = 22;

export function isNodeNewEnough(): boolean {
  const version = spawnSync(NODE, ["--version"], { encoding: "utf8" }).stdout ?? "";
  return Number(version.match(/^v(\d+)/)?.[1]) >= OLDEST_NODE;
}
