import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { FuzzTarget } from "@cambium/test-utils/fuzz-target";

const PACKAGES = fileURLToPath(new URL("../../../packages", import.meta.url));

/** A target and its name, `<package>/<key>`. */
export interface NamedTarget {
  name: string;
  target: FuzzTarget;
}

/**
 * The targets of all packages, or of one; sorted by name. They are the files
 * `packages/<package>/test/fuzz/<subject>.ts`.
 */
export async function loadTargets(onlyPackage?: string): Promise<NamedTarget[]> {
  const found: NamedTarget[] = [];
  for (const name of onlyPackage === undefined ? readdirSync(PACKAGES).sort() : [onlyPackage]) {
    const folder = join(PACKAGES, name, "test/fuzz");
    for (const file of existsSync(folder) ? readdirSync(folder).sort() : []) {
      const { targets } = (await import(pathToFileURL(join(folder, file)).href)) as {
        targets?: Readonly<Record<string, FuzzTarget>>;
      };
      if (targets === undefined) throw new Error(`${basename(folder)}/${file} exports no targets`);
      for (const [key, target] of Object.entries(targets)) found.push({ name: `${name}/${key}`, target });
    }
  }
  return found;
}

export function wordsOf({ words = [] }: FuzzTarget): Uint8Array[] {
  return words.map((word) => (typeof word === "string" ? Buffer.from(word) : word));
}
