import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseError } from "../errors.js";
import { databaseFiles, isAbsent } from "./database-files.js";
import { checkFiles, type FileProblem } from "./file-check.js";
import type { Manifest } from "./manifest.js";

/** LevelDB may delete a file between two steps of a copy: they are repeated then. */
const ATTEMPTS = 10;

/**
 * Copies a database that may be open in another process, in its state at a moment of the copy, and verifies every file
 * of the copy. Contents of tables are verified as in `checkFiles`, up to `tableBytes` bytes of them. Tables, which
 * never change, are linked if the file system supports it. Rejects with {@link DatabaseError} `DATABASE_MISSING`, or
 * `DATABASE_FILES` if the database is damaged. `to` must not exist; it is removed after a failure.
 */
export async function copyRunningDatabase(
  from: string,
  to: string,
  tableBytes = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  if (isAbsent(databaseFiles(from))) throw new DatabaseError({ code: "DATABASE_MISSING", location: from });
  mkdirSync(to, { recursive: true });
  try {
    for (let attempt = 1; ; attempt++) {
      const problem = await copyAndCheck(from, to, tableBytes);
      if (problem === undefined) return;
      if (attempt === ATTEMPTS) throw new DatabaseError({ code: "DATABASE_FILES", location: from, ...problem });
    }
  } catch (error) {
    rmSync(to, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the problem of the copy: the database is damaged, or changed while it was copied. */
async function copyAndCheck(from: string, to: string, tableBytes: number): Promise<FileProblem | undefined> {
  const { manifests, logs } = databaseFiles(to);
  for (const name of [...manifests.values(), ...logs.values()]) rmSync(join(to, name));
  try {
    copyFiles(from, to);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") throw error;
    return { file: path ?? "CURRENT", reason: "it is missing" };
  }
  const { problems, manifest } = await checkFiles(to, tableBytes);
  if (problems.length === 0) removeUnnamedTables(to, manifest!);
  return problems[0];
}

/**
 * Removes tables that were added after the manifest was copied. LevelDB would use their numbers again for its own
 * tables when it opens the copy. It would then overwrite files that the database shares and has mapped into memory.
 */
function removeUnnamedTables(to: string, { tables }: Manifest): void {
  for (const [number, name] of databaseFiles(to).tables) if (!tables.has(number)) rmSync(join(to, name));
}

/**
 * Copies the manifest between two passes over the other files, so that all files that it names are copied: by the first
 * pass, or by the second if they were added in between. Logs, which are only appended to, are copied last: they have
 * all changes that are not in the tables of the manifest. Links keep files that are deleted during the copy.
 */
function copyFiles(from: string, to: string): void {
  const links = join(to, "logs");
  mkdirSync(links, { recursive: true });
  linkFiles(from, to, links);
  const current = readFileSync(join(from, "CURRENT"), "latin1");
  copyFileSync(join(from, current.trim()), join(to, current.trim()));
  linkFiles(from, to, links);
  const kept = databaseFiles(links).logs;
  for (const [number, name] of [...databaseFiles(from).logs, ...kept]) {
    copyFileSync(join(kept.has(number) ? links : from, name), join(to, name));
  }
  rmSync(links, { recursive: true });
  writeFileSync(join(to, "CURRENT"), current);
}

/** Links tables, or copies them if links are impossible; links logs if possible. */
function linkFiles(from: string, to: string, links: string): void {
  const { tables, logs } = databaseFiles(from);
  for (const name of tables.values()) if (!link(from, to, name)) copyFileSync(join(from, name), join(to, name));
  for (const name of logs.values()) link(from, links, name);
}

/** Links a file. Returns false if the file system cannot. Throws an error `ENOENT` if there is no such file. */
function link(from: string, to: string, name: string): boolean {
  if (existsSync(join(to, name))) return true;
  try {
    linkSync(join(from, name), join(to, name));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    return false;
  }
}
