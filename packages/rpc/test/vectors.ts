import { readFileSync } from "node:fs";
import { vectorPath } from "../../../test/vectors.js";

/** Path of a file of the vectors; undefined where they are not installed. */
export function vectorFile(name: string): string | undefined {
  return vectorPath("rpc", name);
}

/** `cases` of a vector file; empty where the vectors are not installed. */
export function vectorCases<T>(name: string): T {
  const path = vectorFile(name);
  return (path === undefined ? [] : JSON.parse(readFileSync(path, "utf8")).cases) as T;
}

/** A vector file as a whole; undefined where the vectors are not installed. */
export function vectorMembers<T>(name: string): T | undefined {
  const path = vectorFile(name);
  return path === undefined ? undefined : (JSON.parse(readFileSync(path, "utf8")) as T);
}
