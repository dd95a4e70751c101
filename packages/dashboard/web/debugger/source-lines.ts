import type { Artifact } from "../../src/artifacts/artifact.js";

/** A place in a source file. */
export interface SourcePlace {
  path: string;
  /** Number of the line, from 1. */
  line: number;
  /** Lines around it, the first of which is `first`. */
  first: number;
  lines: readonly string[];
}

/** Lines shown above and below. */
const AROUND = 3;
const [PUSH1, PUSH32] = [0x60, 0x7f];

/**
 * Returns the source of an instruction, if the artifact maps its code to files that it contains. `isCreation` selects
 * the code that creates the contract.
 */
export function sourceOf(artifact: Artifact, pc: number, isCreation = false): SourcePlace | undefined {
  const { sources } = artifact;
  const [code, map] = isCreation
    ? [artifact.creation, artifact.creationSourceMap]
    : [artifact.runtime, artifact.sourceMap];
  if (map === undefined || sources === undefined) return undefined;
  const [start, file] = entryOf(map, instructionAt(code, pc));
  const source = file === undefined ? undefined : sources[file];
  if (source === undefined || start === undefined) return undefined;
  // The compiler counts bytes.
  const before = new TextDecoder().decode(new TextEncoder().encode(source.text).subarray(0, start));
  const line = before.split("\n").length;
  const all = source.text.split("\n");
  const first = Math.max(line - AROUND, 1);
  return { path: source.path, line, first, lines: all.slice(first - 1, line + AROUND) };
}

/** Number of the instruction at a position of the code. */
function instructionAt(code: string, pc: number): number {
  let index = 0;
  for (let at = 0; at < pc && 2 * at < code.length; index++) {
    const op = Number.parseInt(code.slice(2 * at, 2 * at + 2), 16);
    at += op >= PUSH1 && op <= PUSH32 ? op - PUSH1 + 2 : 1;
  }
  return index;
}

/** Empty fields repeat those of the previous entry. */
function entryOf(sourceMap: string, index: number): [start: number | undefined, file: number | undefined] {
  let [start, file]: (number | undefined)[] = [];
  for (const [i, entry] of sourceMap.split(";").entries()) {
    const [s, , f] = entry.split(":");
    if (s) start = Number(s);
    if (f) file = Number(f);
    if (i === index) break;
  }
  return [start, file];
}
