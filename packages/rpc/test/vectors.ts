import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Path of a file of the vectors; undefined where they are not installed, which is a failure when CI is true. */
export function vectorFile(name: string): string | undefined {
  const path = new URL(`${process.env.CAMBIUM_VECTORS ?? "../shared/vectors"}/rpc/${name}`, `file://${ROOT}`).pathname;
  if (existsSync(path)) return path;
  if (process.env.CI === "true") throw new Error(`vectors missing: ${path}`);
  return undefined;
}

/** `cases` of a vector file; empty where the vectors are not installed. */
export function vectorCases<T>(name: string): T {
  const path = vectorFile(name);
  return (path === undefined ? [] : JSON.parse(readFileSync(path, "utf8")).cases) as T;
}
