import { readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";
import { buildDashboard } from "./dashboard.js";
import { EXTERNAL } from "./external-packages.js";
import { sourceFiles } from "./package-files.js";

/**
 * Writes the program as few large files (docs/decisions/0018): the command line, each worker thread, and the parts that
 * several of them use or that load on demand. All are in one folder, where a thread finds its file as it does beside
 * its module. The web page that the program serves is beside it, in `packages/dashboard/target`.
 */

const REPOSITORY = resolve(import.meta.dirname, "..");
/** Target folder; tests pass another one as a parameter. */
const FOLDER = resolve(process.argv[2] ?? join(REPOSITORY, "packages/cli/bundle"));

/** Preamble that lets bundled CommonJS packages call `require`. */
const BANNER =
  'import { createRequire as createBundleRequire } from "node:module"; const require = createBundleRequire(import.meta.url);';

/** The compiled files that `threadEntry` of `primitives` starts. */
function threadEntries(): string[] {
  return sourceFiles("packages")
    .filter((file) => /^packages\/[^/]+\/src\//.test(file))
    .flatMap((file) => {
      const paths = readFileSync(file, "utf8").matchAll(/\bthreadEntry\("([^"]+)"/g);
      return [...paths].map(([, path]) => join(file.replace("/src/", "/lib/"), "..", path!));
    });
}

process.chdir(REPOSITORY);
await buildDashboard();
const entryPoints = ["packages/cli/lib/program.js", ...threadEntries()];
const { metafile } = await build({
  entryPoints: Object.fromEntries(entryPoints.map((path) => [basename(path, ".js"), path])),
  outdir: FOLDER,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  external: [...EXTERNAL],
  alias: { "hash-wasm": "hash-wasm/dist/index.esm.js" },
  minifyWhitespace: true,
  banner: { js: BANNER },
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: "warning",
});
const written = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
for (const name of readdirSync(FOLDER)) if (!written.has(name)) rmSync(join(FOLDER, name));
// The launcher compares this time: set it even if nothing has changed.
const now = new Date();
utimesSync(join(FOLDER, "program.js"), now, now);
