import { statSync } from "node:fs";
import { type Artifact, constructorArguments, digitsOfCode, matchesCode, readArtifacts } from "@cambium/dashboard";
import { readJson } from "../console/abi-files.js";

/** Files that are compared with a code. */
const MAX_CANDIDATES = 100;
/** Hex digits of a word: the arguments of a constructor are whole words. */
const WORD_DIGITS = 64;

/** Finds the artifact of code among files. Keeps lengths only, and reads the files again to compare. */
export class ArtifactFiles {
  /** Paths by the number of hex digits of a deployed code that the file describes, and of a creating one. */
  private readonly byLength = new Map<number, Set<string>>();
  private readonly byCreation = new Map<number, Set<string>>();

  /** Remembers which code a file describes. */
  note(path: string, artifacts: readonly Artifact[]): void {
    for (const { runtime, creation } of artifacts) {
      if (runtime !== "") addPath(this.byLength, digitsOfCode(runtime), path);
      if (creation !== "") addPath(this.byCreation, creation.length, path);
    }
  }

  /** The artifact of code, given as hex digits, and its file; the newest one of several. */
  find(code: string, isCreation: boolean): { artifact: Artifact; path: string } | undefined {
    const paths = isCreation ? this.creating(code.length) : [...(this.byLength.get(digitsOfCode(code)) ?? [])];
    const fits = (one: Artifact) =>
      isCreation ? constructorArguments(one, code) !== undefined : matchesCode(one, code);
    const found = paths.slice(-MAX_CANDIDATES).flatMap((path) => {
      const artifact = readArtifacts(readJson(path)).find(fits);
      return artifact === undefined ? [] : [{ artifact, path, time: changeTime(path) }];
    });
    return found.toSorted((a, b) => b.time - a.time)[0];
  }

  /** Files whose creation code fits before arguments; those with the fewest arguments come last. */
  private creating(digits: number): string[] {
    const lengths = [...this.byCreation.keys()].filter((own) => own <= digits && (digits - own) % WORD_DIGITS === 0);
    return lengths.toSorted((a, b) => a - b).flatMap((own) => [...this.byCreation.get(own)!]);
  }
}

function addPath(byLength: Map<number, Set<string>>, length: number, path: string): void {
  const paths = byLength.get(length);
  if (paths === undefined) byLength.set(length, new Set([path]));
  else paths.add(path);
}

function changeTime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
