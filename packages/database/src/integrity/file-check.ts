import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Crc32c } from "./checksums.js";
import { type DatabaseFiles, databaseFiles } from "./database-files.js";
import { type CompleteLogs, completeLogs } from "./log-gap.js";
import { type Manifest, readManifest } from "./manifest.js";
import { tableDamage } from "./table-file.js";

/** A damaged or missing file of a database. */
export interface FileProblem {
  file: string;
  reason: string;
}

export interface FileCheck {
  problems: FileProblem[];
  /** The manifest; undefined if it is damaged. */
  manifest: Manifest | undefined;
  /** Undefined without a manifest. */
  logs: CompleteLogs | undefined;
  /** The tables whose content is damaged. */
  damagedTables: string[];
}

/**
 * Verifies the files of a database that no process has open. LevelDB itself skips damaged records of a log, does not
 * verify the checksums of tables, and deletes the files that a manifest does not name. Contents of tables are read from
 * the newest to the oldest, up to `tableBytes` bytes.
 */
export async function checkFiles(location: string, tableBytes: number): Promise<FileCheck> {
  const files = databaseFiles(location);
  const crc = await Crc32c.create();
  const check: FileCheck = { problems: [], manifest: undefined, logs: undefined, damagedTables: [] };
  check.manifest = currentManifest(location, files, crc, check.problems);
  if (check.manifest === undefined) return check;
  checkTableSizes(location, files, check.manifest, check);
  checkTableContents(location, files, { manifest: check.manifest, crc, tableBytes }, check);
  check.logs = completeLogs(location, files, check.manifest, crc);
  if (check.logs.gap !== undefined) check.problems.push(check.logs.gap);
  return check;
}

/** The manifest that `CURRENT` names; undefined if it is damaged, which is added to `problems`. */
export function currentManifest(
  location: string,
  { hasCurrent }: DatabaseFiles,
  crc: Crc32c,
  problems: FileProblem[],
): Manifest | undefined {
  if (!hasCurrent) {
    problems.push({ file: "CURRENT", reason: "it is missing" });
    return undefined;
  }
  const name = readFileSync(join(location, "CURRENT"), "latin1");
  if (!/^MANIFEST-\d+\n$/.test(name)) {
    problems.push({ file: "CURRENT", reason: "it names no manifest" });
    return undefined;
  }
  const file = name.trim();
  try {
    return readManifest(readFileSync(join(location, file)), crc);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    problems.push({ file, reason: isMissing ? "it is missing" : (error as Error).message });
    return undefined;
  }
}

function checkTableSizes(location: string, files: DatabaseFiles, { tables }: Manifest, check: FileCheck): void {
  for (const [number, expected] of tables) {
    const file = files.tables.get(number);
    if (file === undefined) {
      check.problems.push({ file: `${String(number).padStart(6, "0")}.ldb`, reason: "it is missing" });
      continue;
    }
    const { size } = statSync(join(location, file));
    if (size === expected) continue;
    check.problems.push({ file, reason: `it has ${size} bytes, expected ${expected}` });
    check.damagedTables.push(file);
  }
}

function checkTableContents(
  location: string,
  files: DatabaseFiles,
  { manifest, crc, tableBytes }: { manifest: Manifest; crc: Crc32c; tableBytes: number },
  check: FileCheck,
): void {
  let left = tableBytes;
  for (const number of [...manifest.tables.keys()].sort((a, b) => b - a)) {
    const file = files.tables.get(number);
    left -= manifest.tables.get(number)!;
    if (left < 0) return;
    if (file === undefined || check.damagedTables.includes(file)) continue;
    const reason = tableFault(readFileSync(join(location, file)), crc);
    if (reason === undefined) continue;
    check.problems.push({ file, reason });
    check.damagedTables.push(file);
  }
}

/** Why the content of a table file is damaged; undefined if it is not. */
export async function tableProblem(bytes: Uint8Array): Promise<string | undefined> {
  return tableFault(bytes, await Crc32c.create());
}

/** Works like {@link tableProblem}, with checksums that are ready. */
export function tableFault(bytes: Uint8Array, crc: Crc32c): string | undefined {
  try {
    const { typeOffsets, isFilterDamaged } = tableDamage(bytes, crc);
    const count = typeOffsets.length + (isFilterDamaged ? 1 : 0);
    if (count === 0) return undefined;
    const lowest = typeOffsets.reduce((least, offset) => Math.min(least, offset), Number.POSITIVE_INFINITY);
    const first = typeOffsets.length === 0 ? "" : `, the first of which ends at offset ${lowest}`;
    return `checksums of ${count} of its blocks are wrong${first}`;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
