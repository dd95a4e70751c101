import { dirname, relative } from "node:path";

/** An import of one file by another; paths are relative to the repository. */
export interface FileImport {
  readonly file: string;
  readonly target: string;
}

/** Imports between the folders of one folder: importing folder, imported folder, and an import that shows it. */
type Graph = Map<string, Map<string, FileImport>>;

/**
 * Cycles of folders: of folders with the same parent, each of which imports the next and the last the first. A file
 * beside the folders belongs to none of them. Returns one line for each cycle, with an import for each of its steps.
 */
export function folderCycles(imports: readonly FileImport[]): string[] {
  return [...graphs(imports)].flatMap(([parent, graph]) =>
    cyclesOf(graph).map((steps) => {
      const shown = steps.map(({ file, target }) => `${relative(parent, file)} imports ${relative(parent, target)}`);
      return `${parent}: folders import each other: ${shown.join(", ")}`;
    }),
  );
}

/** Graphs of sibling folders, by their parent. */
function graphs(imports: readonly FileImport[]): Map<string, Graph> {
  const byParent = new Map<string, Graph>();
  for (const one of imports) {
    const [from, to] = [one.file, one.target].map((path) => dirname(path).split("/")) as [string[], string[]];
    const depth = from.findIndex((name, i) => name !== to[i]);
    const [importing, imported] = [from[depth], to[depth]];
    if (importing === undefined || imported === undefined) continue;
    const parent = from.slice(0, depth).join("/");
    const graph: Graph = byParent.get(parent) ?? new Map();
    const targets = graph.get(importing) ?? new Map<string, FileImport>();
    byParent.set(parent, graph.set(importing, targets));
    if (!targets.has(imported)) targets.set(imported, one);
  }
  return byParent;
}

/** Returns the imports of a shortest cycle for each folder in one, unless an earlier cycle contains the folder. */
function cyclesOf(graph: Graph): FileImport[][] {
  const seen = new Set<string>();
  const cycles: FileImport[][] = [];
  for (const folder of graph.keys()) {
    const path = seen.has(folder) ? undefined : shortestCycle(graph, folder);
    if (path === undefined) continue;
    for (const name of path) seen.add(name);
    cycles.push(path.map((name, i) => graph.get(name)!.get(path[(i + 1) % path.length]!)!));
  }
  return cycles;
}

/** The folders from one back to itself. */
function shortestCycle(graph: Graph, start: string): string[] | undefined {
  const reached = new Set<string>();
  const paths = [[start]];
  for (const path of paths) {
    for (const next of graph.get(path.at(-1)!)?.keys() ?? []) {
      if (next === start) return path;
      if (reached.has(next)) continue;
      reached.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}
