/**
 * Compiled file that a worker thread starts with. Threads know nothing of loaders, so that also from the sources, as
 * tests run them, it is the compiled one.
 */
export function threadEntry(name: string): URL {
  return new URL(`../lib/${name}.js`, import.meta.url);
}
