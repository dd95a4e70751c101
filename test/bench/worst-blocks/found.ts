import { readFileSync } from "node:fs";
import { fromHex } from "@cambium/primitives";
import type { Row } from "./opcodes.js";

const FOUND = new URL("found.json", import.meta.url);

/** Returns programs that the search (`npm run fuzz:worst`) has found. Each once took seconds or minutes of a block. */
export function foundRows(): Row[] {
  const codes = JSON.parse(readFileSync(FOUND, "utf8")) as Record<string, string>;
  return Object.entries(codes).map(([kind, code]) => ({ name: `found: ${kind}`, programs: [fromHex(code)] }));
}
