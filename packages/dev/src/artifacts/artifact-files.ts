import { statSync } from "node:fs";
import { type Artifact, digitsOfCode, matchesCode, readArtifacts } from "@cambium/dashboard";
import { readJson } from "../console/abi-files.js";

/** Artifacts of equally long code that are compared with it. */
const MAX_CANDIDATES = 100;

/** Finds the artifact of deployed code among files. Keeps lengths only, and reads the files again to compare. */
export class ArtifactFiles {
  /** Paths by the number of hex digits of a code that the file describes. */
  private readonly byLength = new Map<number, Set<string>>();

  /** Remembers which code a file describes. */
  note(path: string, artifacts: readonly Artifact[]): void {
    for (const { runtime } of artifacts) {
      if (runtime === "") continue;
      const length = digitsOfCode(runtime);
      const paths = this.byLength.get(length);
      if (paths === undefined) this.byLength.set(length, new Set([path]));
      else paths.add(path);
    }
  }

  /** The artifact of code, given as hex digits, and its file; the newest one of several. */
  find(code: string): { artifact: Artifact; path: string } | undefined {
    const paths = [...(this.byLength.get(digitsOfCode(code)) ?? [])].slice(-MAX_CANDIDATES);
    const found = paths.flatMap((path) => {
      const artifact = readArtifacts(readJson(path)).find((one) => matchesCode(one, code));
      return artifact === undefined ? [] : [{ artifact, path, time: changeTime(path) }];
    });
    return found.toSorted((a, b) => b.time - a.time)[0];
  }
}

function changeTime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
