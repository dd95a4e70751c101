import { closeSync, linkSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseError } from "../errors.js";
import { openLevel } from "../level-opening.js";
import { databaseFiles, isAbsent } from "./database-files.js";

/**
 * Holds LevelDB's lock of a database without opening it, so that no other process can open it. Locks belong to a file,
 * so another, temporary database with the same lock file is opened. Rejects with {@link DatabaseError}
 * `DATABASE_MISSING`, or `DATABASE_OPEN` if another process has the database open. Resolves to a function that releases
 * the lock.
 */
export async function lockDatabase(location: string): Promise<() => Promise<void>> {
  if (isAbsent(databaseFiles(location))) throw new DatabaseError({ code: "DATABASE_MISSING", location });
  const beside = `${location}.lock`;
  const lock = join(location, "LOCK");
  closeSync(openSync(lock, "a"));
  rmSync(beside, { recursive: true, force: true });
  mkdirSync(beside);
  const remove = () => rmSync(beside, { recursive: true, force: true });
  try {
    linkSync(lock, join(beside, "LOCK"));
    const level = await openLevel(beside, { createIfMissing: true });
    return async () => {
      await level.close();
      remove();
    };
  } catch (error) {
    remove();
    throw error;
  }
}
