import type { Crc32c } from "./checksums.js";
import { logRecords } from "./log-records.js";
import { VarintReader } from "./varint.js";

/** The state of a database that its manifest describes. */
export interface Manifest {
  /** Sizes of the live table files by number. */
  tables: Map<number, number>;
  /** Log files from this number on are not in tables yet; 0 before the first one exists. */
  logNumber: number;
  /** Sequence number of the last change when the manifest was written. */
  lastSequence: number;
}

const COMPARATOR = 1;
const LOG_NUMBER = 2;
const NEXT_FILE = 3;
const LAST_SEQUENCE = 4;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;
const PREVIOUS_LOG = 9;

/** Reads a manifest. Throws an error with the reason if any of its bytes is damaged. */
export function readManifest(file: Uint8Array, crc: Crc32c): Manifest {
  const manifest: Manifest = { tables: new Map(), logNumber: 0, lastSequence: 0 };
  const tags = new Set<number>();
  const records = logRecords(file, crc, (offset, reason) => {
    throw new RangeError(`${reason}, offset ${offset}`);
  });
  for (const { bytes } of records) {
    applyEdit(manifest, new VarintReader(bytes), tags);
  }
  if ([NEXT_FILE, LOG_NUMBER, LAST_SEQUENCE].some((tag) => !tags.has(tag))) throw new RangeError("it is incomplete");
  return manifest;
}

function applyEdit(manifest: Manifest, reader: VarintReader, tags: Set<number>): void {
  while (reader.hasMore) {
    const tag = reader.number();
    tags.add(tag);
    if (tag === COMPARATOR) reader.prefixed();
    else if (tag === LOG_NUMBER) manifest.logNumber = reader.number();
    else if (tag === NEXT_FILE || tag === PREVIOUS_LOG) reader.number();
    else if (tag === LAST_SEQUENCE) manifest.lastSequence = reader.number();
    else if (tag === COMPACT_POINTER || tag === DELETED_FILE || tag === NEW_FILE) applyFile(manifest, reader, tag);
    else throw new RangeError(`unknown tag ${tag}`);
  }
}

/** The level comes first. */
function applyFile({ tables }: Manifest, reader: VarintReader, tag: number): void {
  reader.number();
  if (tag === COMPACT_POINTER) {
    reader.prefixed();
  } else if (tag === DELETED_FILE) {
    tables.delete(reader.number());
  } else {
    tables.set(reader.number(), reader.number());
    reader.prefixed();
    reader.prefixed();
  }
}
