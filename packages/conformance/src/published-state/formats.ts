import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A case of `bad/cases.json` or `bad-zip/cases.json`. */
export interface FaultyCase {
  careful: "accept" | "refuse";
  reasons?: string[];
}

/** A case of `index/cases.json`: `accept: height 8 …`, or `refuse…`. */
export interface IndexCase {
  careful: string;
  /** `best`: number and hash of the newest block. */
  deployed: { best?: string };
}

/** `expected.json` of a chain. */
export interface ExpectedChain {
  best: { number: number; hash: string; stateRoot: string; totalDifficulty: string };
  accounts: { address: string; balance: string; nonce: string; codeLength: number; codeHash: string }[];
  storage: { address: string; slot: string; value: string }[];
}

/** An entry of `archives.json`. */
export interface ListedArchive {
  archive: string;
  sha256: string;
  bytes: number;
  blocks: number;
}

export function readJson<T>(folder: string, name: string): T {
  return JSON.parse(readFileSync(join(folder, name), "utf8")) as T;
}
