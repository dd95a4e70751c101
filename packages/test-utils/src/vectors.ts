import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
const VECTORS = resolve(REPOSITORY, "test/vectors");
const OUTSIDE = resolve(REPOSITORY, process.env.CAMBIUM_VECTORS ?? "../shared/vectors");

/** Path of a file or folder of `test/vectors`. Throws if there is none. */
export function vectorPath(...parts: string[]): string {
  const path = resolve(VECTORS, ...parts);
  if (!existsSync(path)) throw new Error(`no such vectors: ${path}`);
  return path;
}

/**
 * Returns a path below the folder of the vectors that are too large for the repository (`CAMBIUM_VECTORS`, by default
 * next to the repository; `test/vectors/README.md` lists them). Undefined if it is absent: the caller then skips its
 * test. With `CI=true` absence is an error.
 */
export function outsideVectorPath(...parts: string[]): string | undefined {
  const path = resolve(OUTSIDE, ...parts);
  if (existsSync(path)) return path;
  if (process.env.CI === "true") throw new Error(`vectors missing: ${path}`);
  return undefined;
}

/** The files of a long recorded chain, in order, or undefined if they are absent. */
export function longChainFiles(): string[] | undefined {
  const files = [1, 2, 3].map((part) => outsideVectorPath("chains", `long.blocks.${part}.txt.gz`));
  return files.every((file) => file !== undefined) ? files : undefined;
}
