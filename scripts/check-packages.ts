import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename } from "node:path";
import { EXTERNAL } from "./external-packages.js";
import { FLOORS, SIDE } from "./floors.js";
import { floorsPage } from "./floors-page.js";
import { folderCycles } from "./folder-cycles.js";
import { importsOf, packageOf, readManifest, readReferences, sourceFiles } from "./package-files.js";
import { exportedNames, importedNames } from "./public-names.js";

/**
 * Checks the imports of packages: only packages of lower floors, by name; each declared dependency is used; the
 * folders of a package never import each other. Checks that each exported name is imported elsewhere. Prints one line
 * per violation; exit status 1 if there are any.
 */

const SCOPE = "@cambium/";
/** Loaded by name at run time, or types only: no file imports them. */
const IMPLICIT = /^@types\//;

function floorOf(name: string): number {
  const floor = FLOORS.findIndex((names) => names.includes(name));
  if (floor >= 0) return floor;
  return SIDE.includes(name) ? FLOORS.length : Number.NaN;
}

/** Relative imports that leave the folder of a package, or enter one. */
function checkPaths(folder: string, report: (problem: string) => void): void {
  for (const file of sourceFiles(folder)) {
    for (const { specifier, target } of importsOf(file)) {
      if (target !== undefined && packageOf(target) !== packageOf(file)) {
        report(`${file}: imports "${specifier}" by path; import the package by its name`);
      }
    }
  }
}

function checkFloors(name: string, dependencies: readonly string[], report: (problem: string) => void): void {
  const floor = floorOf(name);
  if (Number.isNaN(floor)) report(`packages/${name}: has no floor in scripts/floors.ts`);
  for (const dependency of dependencies) {
    if (!dependency.startsWith(SCOPE)) continue;
    const below = floorOf(dependency.slice(SCOPE.length));
    if (!(below < floor || SIDE.includes(name))) report(`packages/${name}: ${dependency} is not on a lower floor`);
  }
}

/** Checks that folders never import each other: they have floors too. */
function checkFolders(name: string, report: (problem: string) => void): void {
  const imports = sourceFiles(`packages/${name}/src`).flatMap((file) =>
    importsOf(file).flatMap(({ target }) => (target === undefined ? [] : [{ file, target }])),
  );
  folderCycles(imports).forEach(report);
}

function checkUse(name: string, report: (problem: string) => void): void {
  const folder = `packages/${name}`;
  const { dependencies, devDependencies, optionalDependencies } = readManifest(folder);
  const bundled = name === "cli" ? EXTERNAL : [];
  const bySource = new Set([...importedPackages(sourceFiles(`${folder}/src`)), ...bundled]);
  for (const needed of bundled.filter((one) => ![...dependencies, ...optionalDependencies].includes(one))) {
    report(`${folder}: its bundle imports ${needed}, which is no dependency`);
  }
  const declared = [...dependencies, ...optionalDependencies, SCOPE + name];
  for (const used of importedPackages(sourceFiles(`${folder}/src`))) {
    if (/^[@a-z]/.test(used) && !isBuiltin(used) && !declared.includes(used)) {
      report(`${folder}: its sources import ${used}, which is no dependency`);
    }
  }
  const byTest = importedPackages(sourceFiles(folder));
  for (const dependency of [...dependencies, ...optionalDependencies]) {
    if (!bySource.has(dependency)) report(`${folder}: does not import its dependency ${dependency}`);
  }
  for (const dependency of devDependencies) {
    if (IMPLICIT.test(dependency)) continue;
    if (!byTest.has(dependency)) report(`${folder}: does not import its devDependency ${dependency}`);
    if (dependencies.includes(dependency)) report(`${folder}: ${dependency} is a dependency and a devDependency`);
  }
}

/** Checks the references, because `tsc -b` builds the packages that a package refers to first. */
function checkReferences(name: string, report: (problem: string) => void): void {
  const folder = `packages/${name}`;
  const references = readReferences(folder)?.map((path) => SCOPE + basename(path));
  if (references === undefined) return;
  const needed = readManifest(folder).dependencies.filter((dependency) => dependency.startsWith(SCOPE));
  for (const missing of needed.filter((dependency) => !references.includes(dependency))) {
    report(`${folder}/tsconfig.json: lacks a reference to ${missing}`);
  }
  for (const extra of references.filter((reference) => !needed.includes(reference))) {
    report(`${folder}/tsconfig.json: refers to ${extra}, which is no dependency`);
  }
}

/**
 * Checks that names which `index.ts`, `testing.ts` and `client.ts` export are imported outside the package. Sources of
 * other packages do not import `testing`.
 */
function checkNames(name: string, users: ReadonlyMap<string, ReadonlySet<string>>, report: (problem: string) => void) {
  for (const [entry, specifier] of [
    ["index.ts", `${SCOPE}${name}`],
    ["testing.ts", `${SCOPE}${name}/testing`],
    ["client.ts", `${SCOPE}${name}/client`],
  ] as const) {
    const file = `packages/${name}/src/${entry}`;
    if (!existsSync(file)) continue;
    const exported = exportedNames(file);
    if (exported === undefined) report(`${file}: has "export *"; export by name what other packages import`);
    for (const unused of exported?.filter((word) => !users.get(specifier)?.has(word)) ?? []) {
      report(`${file}: exports ${unused}, which no other package imports`);
    }
  }
  for (const file of SIDE.includes(name) ? [] : sourceFiles(`packages/${name}/src`)) {
    for (const { specifier } of importsOf(file)) {
      if (specifier.startsWith(SCOPE) && specifier.endsWith("/testing")) {
        report(`${file}: imports "${specifier}", which is for tests`);
      }
    }
  }
}

/** Refuses ranges of versions: an installation could run a version that no test has run. */
function checkVersions(folder: string, report: (problem: string) => void): void {
  for (const [dependency, version] of readManifest(folder).versions) {
    const isExact = /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version);
    if (!isExact && !dependency.startsWith(SCOPE)) {
      report(`${folder || "."}/package.json: ${dependency} has the range ${version}, expected an exact version`);
    }
  }
}

/**
 * Checks the version of the root, which names the software bill of materials. `lerna version` sets the version of every
 * package, but not of the root.
 */
function checkRootVersion(report: (problem: string) => void): void {
  const [root, lerna] = ["package.json", "lerna.json"].map((file) => JSON.parse(readFileSync(file, "utf8")).version);
  if (root !== lerna) report(`package.json: version ${root} differs from ${lerna} in lerna.json`);
}

/** Checks the generated part of the page. */
function checkPage(report: (problem: string) => void): void {
  const page = readFileSync("docs/architecture.md", "utf8");
  if (floorsPage(page) !== page) report("docs/architecture.md: its floors are out of date; run npm run docs");
}

/** Names that files import of each specifier of another package. */
function usedNames(files: readonly string[]): Map<string, Set<string>> {
  const used = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { specifier, names } of importedNames(file)) {
      const own = `${SCOPE}${basename(packageOf(file))}`;
      if (!specifier.startsWith(SCOPE) || specifier.split("/", 2).join("/") === own) continue;
      const known = used.get(specifier) ?? new Set();
      used.set(specifier, known);
      for (const word of names) known.add(word);
    }
  }
  return used;
}

function importedPackages(files: readonly string[]): Set<string> {
  const names = files.flatMap(importsOf).map(({ specifier }) => specifier.match(/^(@[^/]+\/)?[^/]+/)?.[0]);
  return new Set(names.filter((name) => name !== undefined));
}

const problems: string[] = [];
const report = (problem: string) => problems.push(problem);
const folders = ["packages", "test", "scripts"];
for (const folder of folders) checkPaths(folder, report);
checkRootVersion(report);
checkPage(report);
checkVersions("", report);
const users = usedNames(folders.flatMap(sourceFiles));
for (const name of readdirSync("packages")) {
  checkFloors(name, readManifest(`packages/${name}`).dependencies, report);
  checkVersions(`packages/${name}`, report);
  checkFolders(name, report);
  checkUse(name, report);
  checkReferences(name, report);
  checkNames(name, users, report);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
