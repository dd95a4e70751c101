/**
 * The compiled file that a worker thread starts with. Threads know nothing of loaders, so that a module which runs from
 * its sources, as in tests, starts the compiled one too. `path` is relative to `importer`, which is an `import.meta.url`.
 */
export function threadEntry(path: string, importer: string): URL {
  const entry = new URL(path, importer).href;
  return new URL(importer.endsWith(".ts") ? entry.replace(/\/src\/(?!.*\/src\/)/, "/lib/") : entry);
}
