import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Drops the pages of a folder's files from the page cache; undefined, or the reason why that is not possible. */
export function dropFromCache(folder: string): string | undefined {
  for (const name of readdirSync(folder)) {
    const options = [`of=${join(folder, name)}`, "oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none"];
    const reason = failure("dd", options);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** A program and its parameters that run another one with so much memory, of which the page cache is a part; or why there is none. */
export function memoryLimit(megabytes: number): { command: readonly string[] } | { reason: string } {
  const own = process.getuid?.() === 0 ? [] : ["--user"];
  const command = [
    "systemd-run",
    ...own,
    "--quiet",
    "--scope",
    "-p",
    `MemoryMax=${megabytes}M`,
    "-p",
    "MemorySwapMax=0",
  ];
  const reason = failure(command[0]!, [...command.slice(1), "true"]);
  return reason === undefined ? { command } : { reason };
}

/** Why a program fails; undefined if it does not. */
function failure(program: string, parameters: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync(program, parameters, { encoding: "utf8" });
  if (error !== undefined) return error.message;
  return status === 0 ? undefined : `${program}: ${stderr.trim().split("\n")[0]}`;
}
