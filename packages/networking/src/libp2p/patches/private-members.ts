import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NetworkingError } from "../../errors.js";

/** `typeof` of each private member that a patch uses, by its path: `routingTable.kb.root`. */
export type MemberTypes = Readonly<Record<string, "function" | "object">>;

/**
 * Types an object of a library with private members that a patch replaces or calls. The libraries are pinned, but a new
 * version may rename such members without notice. The start then fails with {@link NetworkingError} `LIBRARY_CHANGED`
 * instead of leaving a limit unenforced.
 */
export function withPrivateMembers<T extends object>(target: object, library: string, members: MemberTypes): T {
  for (const [member, expected] of Object.entries(members)) {
    const found = typeOf(memberAt(target, member));
    if (found === expected) continue;
    throw new NetworkingError({
      code: "LIBRARY_CHANGED",
      library,
      version: versionOf(library),
      member,
      expected,
      found,
    });
  }
  return target as T;
}

function memberAt(target: object, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], target);
}

function typeOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}

/**
 * Returns the installed version of a package, from the manifest above its entry point: packages do not export their
 * manifests.
 */
function versionOf(library: string): string {
  let folder = dirname(fileURLToPath(import.meta.resolve(library)));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  const manifest = join(folder, "package.json");
  return existsSync(manifest) ? String(JSON.parse(readFileSync(manifest, "utf8")).version) : "unknown";
}
