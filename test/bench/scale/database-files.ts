import { cpSync, linkSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { TABLES } from "@cambium/chain-store";
import { tableSizes } from "@cambium/database";

/** Copies a database to a folder that does not exist. Table files never change, so both share them. */
export function copyDatabase(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(from)) {
    if (file.endsWith(".ldb")) linkSync(join(from, file), join(to, file));
    else cpSync(join(from, file), join(to, file), { recursive: true });
  }
}

/** Returns the size of each table on disk, in bytes. */
export async function sizes(location: string): Promise<Map<string, number>> {
  const bytes = await tableSizes(location, Object.values(TABLES));
  return new Map(Object.keys(TABLES).map((name, i) => [name, bytes[i]!]));
}

export function sum(sized: ReadonlyMap<string, number>): number {
  return [...sized.values()].reduce((a, b) => a + b, 0);
}
