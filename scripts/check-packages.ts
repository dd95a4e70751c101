import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { importsOf, packageOf, readManifest, readReferences, sourceFiles } from "./package-files.js";

/**
 * Checks what packages import: only packages of lower floors, by name, and each declared dependency is used. Prints one
 * line a violation; exit status 1 if there are any.
 */

/** Floors of docs/architecture.md. A package may import packages of lower floors only. */
const FLOORS: readonly (readonly string[])[] = [
  ["primitives", "dashboard"],
  ["config", "database", "trie"],
  ["types", "merged-mining"],
  ["state"],
  ["evm", "contracts", "bridge"],
  ["chain"],
  ["accounts", "txpool", "miner", "rlpx", "networking"],
  ["sync", "rpc", "replication"],
  ["node"],
  ["conformance"],
  ["cli"],
];
/** Beside the house: they may import any package; the packages of the house import them in tests only. */
const SIDE = ["test-utils"];

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
  if (Number.isNaN(floor)) report(`packages/${name}: has no floor in scripts/check-packages.ts`);
  for (const dependency of dependencies) {
    if (!dependency.startsWith(SCOPE)) continue;
    const below = floorOf(dependency.slice(SCOPE.length));
    if (!(below < floor || SIDE.includes(name))) report(`packages/${name}: ${dependency} is not on a lower floor`);
  }
}

function checkUse(name: string, report: (problem: string) => void): void {
  const folder = `packages/${name}`;
  const { dependencies, devDependencies, optionalDependencies } = readManifest(folder);
  const bySource = importedPackages(sourceFiles(`${folder}/src`));
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

/** `tsc -b` builds what a package refers to before the package. */
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

function importedPackages(files: readonly string[]): Set<string> {
  const names = files.flatMap(importsOf).map(({ specifier }) => specifier.match(/^(@[^/]+\/)?[^/]+/)?.[0]);
  return new Set(names.filter((name) => name !== undefined));
}

const problems: string[] = [];
const report = (problem: string) => problems.push(problem);
for (const folder of ["packages", "test", "scripts"]) checkPaths(folder, report);
for (const name of readdirSync("packages")) {
  checkFloors(name, readManifest(`packages/${name}`).dependencies, report);
  checkUse(name, report);
  checkReferences(name, report);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
