import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Packages outside the bundle: optional ones, and those that read files in their own folder, such as native code. */
export const EXTERNAL: readonly string[] = ["classic-level", "secp256k1", "ioredis", "rocksdb-native"];

interface LockedPackage {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** Installed packages of a lock file, by folder: `node_modules/a/node_modules/b`. */
type Lock = Readonly<Record<string, LockedPackage>>;

/** Folders of these packages and of all that they need, as far as installed, with their versions. */
export function installedClosure(repository: string, names: readonly string[]): Map<string, string> {
  const lock: Lock = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")).packages;
  const found = new Map<string, string>();
  const visit = (name: string, from: string) => {
    const folder = resolved(lock, name, from);
    if (folder === undefined || found.has(folder) || !existsSync(join(repository, folder))) return;
    const { version, dependencies, optionalDependencies } = lock[folder]!;
    found.set(folder, version);
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) visit(needed, folder);
  };
  for (const name of names) visit(name, "");
  return found;
}

/** Returns the folder in which Node.js finds a package: the nearest of the enclosing ones. */
function resolved(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    const candidate = `${folder}${folder && "/"}node_modules/${name}`;
    if (lock[candidate] !== undefined) return candidate;
    if (folder === "") return undefined;
  }
}
