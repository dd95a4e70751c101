import { createHash } from "node:crypto";
import { TABLES } from "@cambium/chain-store";
import { openLevelDatabase } from "@cambium/database";

/**
 * Returns a hash of everything in the tables of a chain, whose database is not open. Records of the chain's own writes
 * are outside of these tables.
 */
export async function contentOf(location: string): Promise<string> {
  const database = await openLevelDatabase(location);
  const hash = createHash("sha256");
  try {
    for (const table of Object.values(TABLES)) {
      for await (const { key, value } of database.entries(table)) {
        hash.update(`${table}:${key.length}:${value.length}:`).update(key).update(value);
      }
    }
  } finally {
    await database.close();
  }
  return hash.digest("hex");
}
