import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { EXTERNAL, installedClosure } from "./external-packages.js";

/**
 * Copies the built program, with the packages that it loads and nothing else, to an empty folder:
 * `npm run assemble -- <folder>`. The folder can be moved, needs no installation, and is also a package that npm can
 * pack and install.
 */

const REPOSITORY = resolve(import.meta.dirname, "..");
const LAUNCHER = "bin/node-cli";
const PROGRAM = ["packages/cli/bundle", "packages/cli/package.json", "packages/dashboard/target"];

/** Native code for other runtimes than Node.js and other systems than Linux and macOS. */
const UNUSED = /\/prebuilds\/(?:android|ios|win32)-|\.bare$/;

function assemble(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  if (!existsSync(join(REPOSITORY, "packages/cli/bundle/program.js"))) {
    throw new Error("the program is not built; run npm run build first");
  }
  const packages = installedClosure(REPOSITORY, EXTERNAL);
  for (const path of [LAUNCHER, ...PROGRAM, "LICENSE", "CHANGELOG.md", ...packages.keys()]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const filter = (source: string) => !UNUSED.test(source);
    cpSync(join(REPOSITORY, path), join(folder, path), { recursive: true, dereference: true, filter });
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(packages), undefined, 2)}\n`);
}

function manifest(packages: ReadonlyMap<string, string>): object {
  const { version, license, engines } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8"));
  const dependencies = EXTERNAL.map((name) => [name, packages.get(`node_modules/${name}`)] as const);
  return {
    name: "cambium-node",
    version,
    description: "A full node for Rootstock",
    license,
    engines,
    type: "module",
    bin: { "node-cli": LAUNCHER },
    files: ["bin", "packages", "CHANGELOG.md"],
    dependencies: Object.fromEntries(dependencies),
    // Bundled, so that the archive that npm packs installs without a registry.
    bundleDependencies: EXTERNAL,
  };
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: npm run assemble -- <folder>");
  process.exitCode = 2;
} else {
  try {
    assemble(resolve(process.env.INIT_CWD ?? ".", folder));
  } catch (error) {
    console.error(`assemble: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
