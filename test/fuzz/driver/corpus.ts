import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("..", import.meta.url));

/** Inputs of a target in the repository: those that cover its code, or those that once violated its property. */
export type Collection = "corpus" | "regressions";

/** Path of a collection: lines of hex, or of JSON strings for text; lines that begin with `#` are comments. */
function collectionPath(target: string, collection: Collection): string {
  return `${FOLDER}${collection}/${target}.txt`;
}

/** Reads a collection; empty if there is no file. */
export function readCollection(target: string, collection: Collection): Uint8Array[] {
  const path = collectionPath(target, collection);
  return existsSync(path) ? readInputs(path) : [];
}

/** The inputs in a file in the format of collections. */
export function readInputs(path: string): Uint8Array[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map(inputOf);
}

/** Replaces a collection; removes nothing else. */
export function writeCollection(target: string, collection: Collection, inputs: readonly Uint8Array[]): void {
  const path = collectionPath(target, collection);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, inputs.map((input) => `${lineOf(input)}\n`).join(""));
}

/** Returns text without control characters as a JSON string, anything else as hex. */
export function lineOf(input: Uint8Array): string {
  const bytes = Buffer.from(input);
  const text = bytes.toString();
  const isText = text.length > 0 && /^[\x20-\x7e\n]*$/.test(text);
  return isText ? JSON.stringify(text) : `0x${bytes.toString("hex")}`;
}

function inputOf(line: string): Uint8Array {
  return Uint8Array.from(
    line.startsWith('"') ? Buffer.from(JSON.parse(line) as string) : Buffer.from(line.slice(2), "hex"),
  );
}
