import { equalBytes } from "@cambium/primitives";
import { decodeFederation, type Federation } from "./federation.js";

interface StoredFederation {
  readonly cell: Uint8Array;
  readonly version: Uint8Array | undefined;
  readonly federation: Federation;
}

/** The last federation of each cell. */
const remembered = new Map<Uint8Array, StoredFederation>();

/**
 * Returns the federation in the cell at `key`, a member of `CELLS`. Every block and most calls need it, but it changes
 * only every few months, so the last one is cached. Federations of different cells are never the same object. Throws as
 * {@link decodeFederation} does.
 */
export function storedFederation(key: Uint8Array, cell: Uint8Array, version: Uint8Array | undefined): Federation {
  const last = remembered.get(key);
  if (last !== undefined && equalBytes(last.cell, cell) && isSameVersion(last.version, version)) return last.federation;
  const federation = decodeFederation(cell, version);
  remembered.set(key, { cell, version, federation });
  return federation;
}

function isSameVersion(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}
