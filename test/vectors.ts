import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = resolve(REPOSITORY, process.env.CAMBIUM_VECTORS ?? "../shared/vectors");

/**
 * Path below the vector folder (`CAMBIUM_VECTORS`, by default beside the repository), or undefined where it is absent:
 * the caller then skips its test by name. With `CI=true` absence is a failure.
 */
export function vectorPath(...parts: string[]): string | undefined {
  const path = resolve(FOLDER, ...parts);
  if (existsSync(path)) return path;
  if (process.env.CI === "true") throw new Error(`vectors missing: ${path}`);
  return undefined;
}
