import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Manifests, references and imports, which the checks of packages read. Paths are relative to the repository. */

export interface Manifest {
  /** One line without a full stop. */
  description: string;
  dependencies: readonly string[];
  devDependencies: readonly string[];
  optionalDependencies: readonly string[];
  /** The version, or range of versions, of each of them. */
  versions: readonly (readonly [name: string, version: string])[];
}

export interface Import {
  specifier: string;
  /** Path of the imported file, if imported by a relative path. */
  target: string | undefined;
}

const SKIPPED = new Set(["node_modules", "lib", "bundle", "target", "coverage"]);
/** Static and dynamic imports, `require("x")` and `import.meta.resolve("x")`, as Biome formats them. */
const IMPORT =
  /(?:^(?:import|export)\s(?:[^"';]*?\sfrom\s)?|\bimport\(|\brequire\(|\bcreateRequire\(import\.meta\.url\)\(|\bimport\.meta\.resolve\()\s*"([^"\n]+)"/gm;

const KINDS = ["dependencies", "devDependencies", "optionalDependencies"];

export function readManifest(folder: string): Manifest {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const names = (key: string) => Object.keys(manifest[key] ?? {});
  return {
    description: manifest.description ?? "",
    dependencies: names("dependencies"),
    devDependencies: names("devDependencies"),
    optionalDependencies: names("optionalDependencies"),
    versions: KINDS.flatMap((kind) => Object.entries<string>(manifest[kind] ?? {})),
  };
}

/** Paths in `references` of a package's tsconfig.json; undefined if `tsc -b` does not build the package. */
export function readReferences(folder: string): string[] | undefined {
  const file = join(folder, "tsconfig.json");
  if (!existsSync(file)) return undefined;
  const { references = [] } = JSON.parse(readFileSync(file, "utf8")) as { references?: { path: string }[] };
  return references.map(({ path }) => path);
}

/** Every source file below a folder. */
export function sourceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (SKIPPED.has(name)) return [];
    if (statSync(path).isDirectory()) return sourceFiles(path);
    return /\.[cm]?[jt]sx?$/.test(name) ? [path] : [];
  });
}

export function importsOf(file: string): Import[] {
  const specifiers = [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, specifier]) => specifier!);
  return specifiers.map((specifier) => ({
    specifier,
    target: specifier.startsWith(".") ? join(dirname(file), specifier) : undefined,
  }));
}

/** Folder of the package that a file belongs to; the repository's own files belong to none. */
export function packageOf(file: string): string {
  return file.match(/^packages\/[^/]+/)?.[0] ?? "";
}
