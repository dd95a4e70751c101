import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Artifact, matchesCode, readArtifacts } from "@cambium/dashboard";

/** Limits of the files read for the debugger of one contract. */
const MAX_BUILD_BYTES = 128 * 2 ** 20;
const MAX_SOURCE_BYTES = 2 * 2 ** 20;
/** Number of folders above an artifact that are searched for its source or build information. */
const MAX_PARENTS = 6;
const BUILD_ID = /^[\w.-]{1,200}$/;
const SOURCE = /^(?!\/)(?!.*\.\.)[\w@./ -]+\.(sol|vy|yul)$/;

/**
 * Returns an artifact with its sources, which only a debugger needs: from Hardhat's build information, or the source
 * file of Foundry's.
 */
export function withSources(artifact: Artifact, path: string): Artifact {
  if (artifact.sources !== undefined) return artifact;
  return fromBuildInformation(artifact, path) ?? fromSourceFile(artifact, path) ?? artifact;
}

/** Reads sources from Hardhat's build information, which has the compiler's whole output. */
function fromBuildInformation(artifact: Artifact, path: string): Artifact | undefined {
  const { inputSourceName = artifact.source, buildInfoId } = members(json(path, MAX_BUILD_BYTES));
  const build = readArtifacts(buildInformation(path, buildInfoId));
  const found = build.find(({ name, source, ...one }) => {
    return name === artifact.name && source === inputSourceName && matchesCode(one, artifact.runtime);
  });
  // The contract is the same; only the whole output has the rest.
  return found && { ...found, source: artifact.source, creation: artifact.creation };
}

/**
 * Reads the build information of an artifact. Hardhat 2 writes `Counter.dbg.json` next to `Counter.json`, which names
 * the file. An artifact of Hardhat 3 has the name of two files, for the input and the output.
 */
function buildInformation(path: string, id: unknown): unknown {
  const { buildInfo } = members(json(path.replace(/\.json$/, ".dbg.json"), MAX_SOURCE_BYTES));
  if (typeof buildInfo === "string") return json(resolve(dirname(path), buildInfo), MAX_BUILD_BYTES);
  if (typeof id !== "string" || !BUILD_ID.test(id)) return undefined;
  const file = findAbove(path, join("build-info", `${id}.json`));
  if (file === undefined) return undefined;
  const { input } = members(json(file, MAX_BUILD_BYTES));
  const { output } = members(json(file.replace(/\.json$/, ".output.json"), MAX_BUILD_BYTES));
  return { input, output };
}

/**
 * Reads the source file that a Foundry artifact names, by a path relative to the project. The artifact has the number
 * of this file only.
 */
function fromSourceFile(artifact: Artifact, path: string): Artifact | undefined {
  const { id } = members(json(path, MAX_BUILD_BYTES));
  if (typeof id !== "number" || !SOURCE.test(artifact.source)) return undefined;
  const file = findAbove(path, artifact.source);
  if (file === undefined || statSync(file).size > MAX_SOURCE_BYTES) return undefined;
  return { ...artifact, sources: { [id]: { path: artifact.source, text: readFileSync(file, "utf8") } } };
}

/** Returns the path of a file that is named relative to one of the folders above another one. */
function findAbove(path: string, name: string): string | undefined {
  let folder = dirname(path);
  for (let i = 0; i < MAX_PARENTS; i++) {
    const file = join(folder, name);
    if (existsSync(file)) return file;
    folder = dirname(folder);
  }
  return undefined;
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function json(path: string, maximum: number): unknown {
  try {
    return statSync(path).size > maximum ? undefined : JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
