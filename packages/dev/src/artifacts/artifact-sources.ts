import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Artifact, matchesCode, readArtifacts } from "@cambium/dashboard";

/** Limits of the files read for the debugger of one contract. */
const MAX_BUILD_BYTES = 128 * 2 ** 20;
const MAX_SOURCE_BYTES = 2 * 2 ** 20;
/** Number of folders above an artifact that are searched for its source. */
const MAX_PARENTS = 6;
const SOURCE = /^(?!\/)(?!.*\.\.)[\w@./ -]+\.(sol|vy|yul)$/;

/**
 * Returns an artifact with its sources, which only a debugger needs: from Hardhat's build information, or the source
 * file of Foundry's.
 */
export function withSources(artifact: Artifact, path: string): Artifact {
  if (artifact.sources !== undefined) return artifact;
  return fromBuildInformation(artifact, path) ?? fromSourceFile(artifact, path) ?? artifact;
}

/**
 * Reads sources from Hardhat's build information. Hardhat writes `Counter.dbg.json` next to `Counter.json`; it names
 * the file with the compiler's whole output.
 */
function fromBuildInformation(artifact: Artifact, path: string): Artifact | undefined {
  const { buildInfo } = (json(path.replace(/\.json$/, ".dbg.json"), MAX_SOURCE_BYTES) ?? {}) as { buildInfo?: unknown };
  if (typeof buildInfo !== "string") return undefined;
  const build = readArtifacts(json(resolve(dirname(path), buildInfo), MAX_BUILD_BYTES));
  const found = build.find(({ name, source, ...one }) => {
    return name === artifact.name && source === artifact.source && matchesCode(one, artifact.runtime);
  });
  // The names are the same; only the whole output has the rest.
  return found && { ...found, creation: artifact.creation };
}

/**
 * Reads the source file that a Foundry artifact names, by a path relative to the project. The artifact has the number
 * of this file only.
 */
function fromSourceFile(artifact: Artifact, path: string): Artifact | undefined {
  const { id } = (json(path, MAX_BUILD_BYTES) ?? {}) as { id?: unknown };
  if (typeof id !== "number" || !SOURCE.test(artifact.source)) return undefined;
  let folder = dirname(path);
  for (let i = 0; i < MAX_PARENTS; i++) {
    const file = join(folder, artifact.source);
    if (existsSync(file) && statSync(file).size <= MAX_SOURCE_BYTES) {
      return { ...artifact, sources: { [id]: { path: artifact.source, text: readFileSync(file, "utf8") } } };
    }
    folder = dirname(folder);
  }
  return undefined;
}

function json(path: string, maximum: number): unknown {
  try {
    return statSync(path).size > maximum ? undefined : JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
