import { join } from "node:path";

/** Directory of the chain's database below a data directory. */
export function databasePath(dataDir: string): string {
  return join(dataDir, "chain");
}
