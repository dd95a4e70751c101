import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Builds the web page of `packages/dashboard` with Vite, if its sources or the libraries in it have changed since it
 * was built: Vite takes a second, which most builds can do without.
 */

const FOLDER = "packages/dashboard";
/** Digest of what the page was built from. */
const STAMP = join(FOLDER, "target/.inputs");
const LIBRARIES = ["preact", "uplot", "viem", "vite"];

/** Builds the page if its inputs have changed. Call it in the root of the repository. */
export async function buildDashboard(): Promise<void> {
  const digest = digestOfInputs();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === digest) return;
  const { build } = await import("vite");
  await build({ configFile: join(FOLDER, "vite.config.ts"), logLevel: "warn" });
  writeFileSync(STAMP, digest);
}

function digestOfInputs(): string {
  const folders = ["web", "src/artifacts"].map((name) => join(FOLDER, name));
  const names = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
  const files = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const manifests = LIBRARIES.map((name) => `node_modules/${name}/package.json`);
  const hash = createHash("sha256");
  for (const path of [join(FOLDER, "vite.config.ts"), ...files.toSorted(), ...manifests]) {
    hash.update(`${path}\0`).update(readFileSync(path)).update("\0");
  }
  return hash.digest("hex");
}
