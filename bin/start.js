import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** `npm start`: runs `node-cli dev`, after a build if the sources have changed since the last one. */

const REPOSITORY = fileURLToPath(new URL("..", import.meta.url));
/** What a build reads. Times of folders tell of files that were removed. */
const COMMON = ["package-lock.json", "tsconfig.base.json", "scripts"];
const OF_PACKAGE = ["package.json", "tsconfig.json", "vite.config.ts", "src", "web"];

const packages = readdirSync(join(REPOSITORY, "packages")).map((name) => join("packages", name));
const sources = [...COMMON, ...packages.flatMap((folder) => OF_PACKAGE.map((name) => join(folder, name)))];
const built = changed(join(REPOSITORY, "packages/cli/bundle/program.js"));
if (sources.some((path) => isNewer(join(REPOSITORY, path), built))) {
  process.stderr.write("Building, once, about a minute …\n");
  const { status } = spawnSync("npm", ["run", "--silent", "build"], {
    cwd: REPOSITORY,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exit(status ?? 1);
}
process.argv.splice(2, 0, "dev");
await import("./node-cli");

/** Milliseconds; -1 for a file that does not exist. */
function changed(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

function isNewer(path, time) {
  if (changed(path) > time) return true;
  if (changed(path) < 0 || !statSync(path).isDirectory()) return false;
  return readdirSync(path).some((name) => isNewer(join(path, name), time));
}
