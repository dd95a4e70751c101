import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ConformanceError } from "./errors.js";
import type { VectorFile } from "./interface.js";
import { readLines } from "./lines.js";

/** All vector files at or below the given paths, sorted. Throws {@link ConformanceError} if a path is missing. */
export function collectVectorFiles(paths: readonly string[]): VectorFile[] {
  return paths.flatMap((path) => [...walk(path)].sort().map(vectorFile));
}

function* walk(path: string): Generator<string> {
  if (!existsSync(path)) throw new ConformanceError({ code: "FILE_NOT_FOUND", path });
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const entry of readdirSync(path)) if (entry !== "README.md") yield* walk(join(path, entry));
}

function vectorFile(path: string): VectorFile {
  return {
    path,
    name: basename(path).replace(/\.gz$/, ""),
    folder: basename(dirname(path)),
    text: () => readVector(path),
    lines: () => readLines(path),
  };
}

/** Throws {@link ConformanceError} `FILE_UNREADABLE` if the file cannot be read. */
function readVector(path: string): string {
  try {
    const bytes = readFileSync(path);
    return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  } catch (error) {
    throw new ConformanceError({ code: "FILE_UNREADABLE", path, reason: (error as Error).message }, { cause: error });
  }
}
