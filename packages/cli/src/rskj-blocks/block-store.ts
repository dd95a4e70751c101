import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "../errors.js";

/** Location of a block in a {@link BlockStore}. */
export interface BlockPlace {
  hash: Uint8Array;
  /** Bytes of the RLP. */
  size: number;
  /** Position of the block in the store, which `get` needs besides the hash. */
  position: Uint8Array;
}

/**
 * The blocks in the database folder of the deployed client: the RLP of each block under its hash, in no useful order.
 * No file in the folder changes. All methods reject with {@link CliError} `RSKJ_DATABASE`.
 */
export interface BlockStore {
  /** Approximate fraction of the store that {@link all} has read. */
  readonly fractionRead: number;
  all(): AsyncIterable<{ place: BlockPlace; rlp: Uint8Array }>;
  /** Undefined if the store no longer has the block. */
  get(place: BlockPlace): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

/** Differs if a file of the blocks was added, removed or changed. */
export function fingerprint(folder: string): string {
  const hash = createHash("sha256");
  const path = join(folder, "blocks");
  for (const name of readdirSync(path).sort()) {
    const { size, mtimeMs } = statSync(join(path, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

export function databaseError(path: string, reason: string): CliError {
  return new CliError({ code: "RSKJ_DATABASE", path, reason });
}
