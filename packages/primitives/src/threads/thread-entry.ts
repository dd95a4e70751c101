/**
 * The compiled file that a worker thread starts. Worker threads do not inherit loaders, so a module that runs from its
 * source, as in tests, also starts the compiled file. `path` is relative to `importer`, which is an `import.meta.url`.
 */
export function threadEntry(path: string, importer: string): URL {
  const entry = new URL(path, importer).href;
  return new URL(importer.endsWith(".ts") ? entry.replace(/\/src\/(?!.*\/src\/)/, "/lib/") : entry);
}
