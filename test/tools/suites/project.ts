import { cpSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Copies the project of a suite to a fresh folder below `test/tools`, where it finds its packages. Returns that folder.
 */
export function copyProject(name: string): string {
  const build = fileURLToPath(new URL(`../build/suites/${name}`, import.meta.url));
  rmSync(build, { recursive: true, force: true });
  mkdirSync(build, { recursive: true });
  cpSync(fileURLToPath(new URL(name, import.meta.url)), build, { recursive: true });
  return build;
}
