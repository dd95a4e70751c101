import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { buildDashboard } from "./dashboard.js";
import { EXTERNAL } from "./external-packages.js";
import { sourceFiles } from "./package-files.js";

/**
 * Writes the program as few large files (docs/decisions/0018): the command line, each worker thread, and the parts that
 * several of them use or that load on demand. All are in one folder, where a thread finds its file as it does beside
 * its module. The web page that the program serves is beside it, in `packages/dashboard/target`.
 *
 * The files are scripts, which `packages/cli/src/bundle` loads: V8 can keep compiled code of scripts, not of ES
 * modules.
 */

const REPOSITORY = resolve(import.meta.dirname, "..");
/** Target folder; tests pass another one as a parameter. */
const FOLDER = resolve(process.argv[2] ?? join(REPOSITORY, "packages/cli/bundle"));

/** Folder of the ES modules that the scripts are made of. */
const MODULES = join(FOLDER, "modules");

/** The compiled files that `threadEntry` of `primitives` starts. */
function threadEntries(): string[] {
  return sourceFiles("packages")
    .filter((file) => /^packages\/[^/]+\/src\//.test(file))
    .flatMap((file) => {
      const paths = readFileSync(file, "utf8").matchAll(/\bthreadEntry\("([^"]+)"/g);
      return [...paths].map(([, path]) => join(file.replace("/src/", "/lib/"), "..", path!));
    });
}

/** Form of a file of the bundle, a script of one function; see `packages/cli/src/bundle/loader.ts`. */
const FUNCTION = { start: '(function(exports,require,module,importMeta){"use strict";', end: "})" };

/** Function of esbuild that copies the exports of a module. Further accessors would slow down each use of an import. */
const COPIES = /\bvar __toCommonJS=(\w+)=>__copyProps\(__defProp\(\{\},"__esModule",\{value:true\}\),\1\)/;

const COMMON: BuildOptions = {
  platform: "node",
  target: "node20.19",
  minifyWhitespace: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
};

/** Gives a package the name and version that it reads from its manifest: the bundle does not have the file. */
const SSDP: Plugin = {
  name: "ssdp",
  setup({ onLoad }) {
    onLoad({ filter: /\/@achingbrain\/ssdp\/dist\/src\/ssdp\.js$/ }, ({ path }) => {
      const { name, version } = JSON.parse(readFileSync(join(path, "../../../package.json"), "utf8"));
      const manifest = JSON.stringify({ name, version });
      return { contents: readFileSync(path, "utf8").replace("req('../../package.json')", manifest) };
    });
  },
};

process.chdir(REPOSITORY);
await buildDashboard();
const entries = ["packages/cli/lib/program.js", ...threadEntries()].map((path) => ({ name: basename(path), path }));
rmSync(FOLDER, { recursive: true, force: true });
await writeModules();
await writeScripts();
rmSync(MODULES, { recursive: true });

/** Writes ES modules: only their bundles share parts. */
async function writeModules(): Promise<void> {
  await build({
    ...COMMON,
    entryPoints: Object.fromEntries(entries.map(({ name, path }) => [`${basename(name, ".js")}-entry`, path])),
    outdir: MODULES,
    bundle: true,
    splitting: true,
    format: "esm",
    external: [...EXTERNAL],
    alias: { "hash-wasm": "hash-wasm/dist/index.esm.js" },
    plugins: [SSDP],
  });
}

/** Writes the scripts of the modules, their loader, and a module for each entry that loads it. */
async function writeScripts(): Promise<void> {
  const parts = readdirSync(MODULES).filter((name) => name.endsWith(".js"));
  await build({
    ...COMMON,
    entryPoints: parts.map((name) => join(MODULES, name)),
    outdir: FOLDER,
    format: "cjs",
    supported: { "dynamic-import": false },
    define: { "import.meta": "importMeta" },
    banner: { js: FUNCTION.start },
    footer: { js: FUNCTION.end },
  });
  for (const name of parts) {
    const path = join(FOLDER, name);
    const text = readFileSync(path, "utf8");
    // The exports themselves are marked as those of an ES module. The length stays, for the source map.
    const marking = text.replace(COPIES, (copies, exports) =>
      `var __toCommonJS=${exports}=>__defProp(${exports},"__esModule",{value:true})`.padEnd(copies.length),
    );
    if (marking === text && text.includes("__toCommonJS=")) throw new Error("esbuild writes exports in another way");
    writeFileSync(path, marking);
  }
  await build({
    ...COMMON,
    entryPoints: ["packages/cli/lib/bundle/loader.js"],
    outdir: FOLDER,
    bundle: true,
    format: "cjs",
  });
  for (const { name } of entries) {
    const loaded = `require("./loader.js").load(__dirname,"${name.replace(".js", "-entry.js")}")`;
    writeFileSync(join(FOLDER, name), name === "program.js" ? `exports.main=${loaded}.main;\n` : `${loaded};\n`);
  }
  writeFileSync(join(FOLDER, "package.json"), '{"type":"commonjs"}\n');
}
