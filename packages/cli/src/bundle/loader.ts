import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { CodeCache } from "./code-cache.js";

interface Module {
  exports: object;
}

/** A module of the bundle; `importMeta` is its `import.meta`. */
type ModuleFunction = (
  exports: object,
  require: (id: string) => unknown,
  module: Module,
  importMeta: Pick<ImportMeta, "url" | "dirname" | "resolve">,
) => void;

/** Time until compiled code is kept, in milliseconds: what every start executes is compiled by then. */
const KEEP_AFTER = 5_000;

/** Returns the file for the compiled code of an entry; undefined if the user has no home folder. */
function cachePath(entry: string): string | undefined {
  try {
    const path = join(homedir(), ".cambium", "compile-cache", `${entry}-${process.version}-${process.arch}`);
    // With an empty HOME, the working folder would provide the code.
    return isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Runs a module of the bundle in a folder, with all modules that it requires, and returns its exports. Code that is
 * compiled soon after the start, or until the exit, is kept in the cache of this entry for later starts.
 */
export function load(folder: string, entry: string): object {
  const cache = new CodeCache(cachePath(entry), (module) => existsSync(join(folder, module)));
  const outside = createRequire(join(folder, entry));
  const resolve = (id: string) => pathToFileURL(outside.resolve(id)).href;
  const modules = new Map<string, Module>();
  const require = (id: string) => (id.startsWith("./") ? run(id.slice(2)) : outside(id));
  const run = (name: string): object => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module: Module = { exports: {} };
    modules.set(name, module);
    const path = join(folder, name);
    const url = pathToFileURL(path).href;
    const script = cache.compile(name, readFileSync(path), (source, cachedData) => {
      return new Script(source, { filename: url, cachedData });
    });
    const start = script.runInThisContext() as ModuleFunction;
    start(module.exports, require, module, { url, dirname: folder, resolve });
    return module.exports;
  };
  const exports = run(entry);
  const keep = () => cache.keep();
  process.once("exit", keep);
  setTimeout(keep, KEEP_AFTER).unref();
  return exports;
}
