import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { DatabaseError } from "../errors.js";
import { openLevel } from "../level-opening.js";
import { forgetLinks, missingBatch } from "./batch-chain.js";
import { Crc32c } from "./checksums.js";
import { type DatabaseFiles, databaseFiles } from "./database-files.js";
import { checkFiles, type FileCheck, type FileProblem } from "./file-check.js";
import { completeLogs } from "./log-gap.js";
import { tableDamage, withoutFilter } from "./table-file.js";

/** Result of {@link restoreFiles}. */
export interface RestoredFiles {
  problems: FileProblem[];
  /**
   * Changes that the database lacks. `nothing`: none. `latest`: the newest batches, so that it is in an earlier state.
   * `any`: any entries, also old ones, while others are out of date.
   */
  lost: "nothing" | "latest" | "any";
}

/** Returns the folder in which a repair leaves its result until that has replaced the database. */
export function repairedPath(location: string): string {
  return `${location}.repaired`;
}

/** A compression that does not exist. */
const NO_COMPRESSION_TYPE = 0xff;

/**
 * Copies a database that no process has open. Tables, which never change, are linked if the file system can. LevelDB's
 * lock is left out.
 */
export function copyDatabaseFiles(from: string, to: string): void {
  mkdirSync(to);
  const { hasCurrent, manifests, logs, tables } = databaseFiles(from);
  const changing = [...(hasCurrent ? ["CURRENT"] : []), ...manifests.values(), ...logs.values()];
  for (const name of changing) copyFileSync(join(from, name), join(to, name));
  for (const name of tables.values()) linkOrCopy(join(from, name), join(to, name));
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** Bytes of the files of a database. */
export function databaseSize(location: string): { logs: number; tables: number } {
  const { logs, tables } = databaseFiles(location);
  const size = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + statSync(join(location, name)).size, 0);
  return { logs: size(logs.values()), tables: size(tables.values()) };
}

/**
 * Makes a copy of a damaged database usable with {@link openUnverified}, by removing damaged parts. If interrupted, it
 * leaves the copy unusable.
 */
export async function restoreFiles(location: string): Promise<RestoredFiles> {
  const check = await checkFiles(location, Number.MAX_SAFE_INTEGER);
  const { problems } = check;
  const crc = await Crc32c.create();
  const areTablesIntact = check.manifest !== undefined && problems.length === (check.logs?.gap === undefined ? 0 : 1);
  if (problems.length > 0) cutLogs(location, check, crc);
  if (!areTablesIntact) await rebuildFromTables(location, check, crc);
  const level = await openLevel(location);
  try {
    const reason = await missingBatch(level);
    if (areTablesIntact && reason === undefined)
      return { problems, lost: problems.length === 0 ? "nothing" : "latest" };
    await forgetLinks(level);
    if (reason !== undefined) problems.push({ file: "log", reason });
    return { problems, lost: "any" };
  } finally {
    await level.close();
  }
}

/**
 * Removes the part of the logs that is incomplete or out of order: the rest is the database at an earlier time. Also
 * removes logs whose changes are in tables, since LevelDB's repair reads all logs and does not verify their checksums.
 */
function cutLogs(location: string, check: FileCheck, crc: Crc32c): void {
  const files = databaseFiles(location);
  const unknown = { logNumber: 0, lastSequence: Number.MAX_SAFE_INTEGER };
  const { logNumber } = check.manifest ?? unknown;
  const { last = 0, end } = check.logs ?? completeLogs(location, files, unknown, crc);
  for (const [number, name] of files.logs) {
    if (number === last) truncateSync(join(location, name), end);
    else if (number > last || number < logNumber) rmSync(join(location, name));
  }
  // LevelDB does not mind an empty log, but the check does if it is missing.
  if (last > 0 && !files.logs.has(last)) writeFileSync(join(location, `${String(last).padStart(6, "0")}.log`), "");
}

/** Builds a manifest from all tables, as far as their blocks have the right checksums. */
async function rebuildFromTables(location: string, { manifest }: FileCheck, crc: Crc32c): Promise<void> {
  const files = databaseFiles(location);
  for (const [number, name] of files.tables) {
    const isObsolete = manifest !== undefined && !manifest.tables.has(number);
    if (isObsolete) rmSync(join(location, name));
    else removeDamage(join(location, name), crc);
  }
  if (isEmpty(databaseFiles(location))) {
    for (const name of ["CURRENT", ...files.manifests.values()]) rmSync(join(location, name), { force: true });
    await (await openLevel(location, { createIfMissing: true })).close();
    return;
  }
  try {
    await ClassicLevel.repair(location);
  } catch (error) {
    throw new DatabaseError({ code: "DATABASE_OPEN", location, reason: (error as Error).message }, { cause: error });
  }
}

function isEmpty({ logs, tables }: DatabaseFiles): boolean {
  return logs.size + tables.size === 0;
}

/**
 * LevelDB's repair skips blocks that it cannot decompress, but does not verify checksums, and keeps a table whose
 * filter alone is damaged.
 */
function removeDamage(path: string, crc: Crc32c): void {
  const bytes = readFileSync(path);
  try {
    const { typeOffsets, isFilterDamaged } = tableDamage(bytes, crc);
    if (typeOffsets.length === 0 && !isFilterDamaged) return;
    for (const offset of typeOffsets) if (offset < bytes.length) bytes[offset] = NO_COMPRESSION_TYPE;
    rmSync(path);
    writeFileSync(path, isFilterDamaged ? withoutFilter(bytes, crc) : bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    rmSync(path);
  }
}
