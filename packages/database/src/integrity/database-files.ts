import { readdirSync } from "node:fs";

/** Names of LevelDB's files by kind, with their numbers. */
export interface DatabaseFiles {
  hasCurrent: boolean;
  manifests: Map<number, string>;
  logs: Map<number, string>;
  tables: Map<number, string>;
}

/** The files in a folder; there are none if it does not exist. */
export function databaseFiles(location: string): DatabaseFiles {
  const files: DatabaseFiles = { hasCurrent: false, manifests: new Map(), logs: new Map(), tables: new Map() };
  for (const name of namesIn(location)) {
    const [, manifest, number, kind] = /^(?:MANIFEST-(\d+)|(\d+)\.(log|ldb|sst))$/.exec(name) ?? [];
    if (name === "CURRENT") files.hasCurrent = true;
    else if (manifest !== undefined) files.manifests.set(Number(manifest), name);
    else if (kind !== undefined) (kind === "log" ? files.logs : files.tables).set(Number(number), name);
  }
  return files;
}

function namesIn(location: string): string[] {
  try {
    return readdirSync(location);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

/**
 * Whether there is no database: no files, or only the first manifest. LevelDB writes it before any other file and
 * replaces it when it opens the new database.
 */
export function isAbsent({ hasCurrent, manifests, logs, tables }: DatabaseFiles): boolean {
  const others = [...manifests.keys()].filter((number) => number !== 1);
  return !hasCurrent && others.length + logs.size + tables.size === 0;
}

/** Whether a folder has files of a database. */
export function hasDatabase(location: string): boolean {
  return !isAbsent(databaseFiles(location));
}
