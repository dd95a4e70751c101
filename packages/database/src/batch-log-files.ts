import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readdirSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { equalBytes } from "@cambium/primitives";
import type { BatchLink } from "./integrity/batch-chain.js";
import { LinkHash } from "./integrity/checksums.js";
import { readNumber, writeNumber } from "./keys.js";

/** Bytes before each batch: sequence number, hash, hash of the batch before, length. */
export const RECORD_HEADER = 8 + 8 + 8 + 4;
const NAME = /^(\d{16})\.batches$/;

/** A logged batch without its content, which has `length` bytes. */
export interface LogRecord extends BatchLink {
  readonly length: number;
}

/** Folder of the log within the folder of a database; LevelDB ignores it. */
export function logFolder(location: string): string {
  return join(location, "log-of-batches");
}

/** The file that begins with the batch of a sequence number. */
export function logFile(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(16, "0")}.batches`);
}

/** Sequence numbers with which the files of a log begin, ascending. */
export function logFiles(folder: string): number[] {
  mkdirSync(folder, { recursive: true });
  const numbers = readdirSync(folder).map((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN));
  return numbers.filter((first) => !Number.isNaN(first)).sort((a, b) => a - b);
}

export function encodeRecord({ sequence, hash, previous }: BatchLink, length: number): Uint8Array {
  const header = new Uint8Array(RECORD_HEADER);
  writeNumber(header, 0, sequence);
  header.set(hash, 8);
  header.set(previous, 16);
  new DataView(header.buffer).setUint32(24, length);
  return header;
}

/** The record at a position of an open file; undefined if the file ends there. */
export function readRecord(file: number, at: number): LogRecord | undefined {
  const header = new Uint8Array(RECORD_HEADER);
  if (readSync(file, header, 0, RECORD_HEADER, at) < RECORD_HEADER) return undefined;
  const length = new DataView(header.buffer).getUint32(24);
  return { sequence: readNumber(header, 0), hash: header.slice(8, 16), previous: header.slice(16, 24), length };
}

/** Returns the content of the record at a position; it is shorter than recorded if the file ends early. */
export function readContent(file: number, at: number, { length }: LogRecord): Uint8Array {
  const content = new Uint8Array(length);
  return content.subarray(0, readSync(file, content, 0, length, at + RECORD_HEADER));
}

/**
 * Cuts a log after the database's latest batch, or before the first damaged or incomplete record. Nothing is kept if
 * the rest does not end with that batch: others were then written without the log.
 */
export async function reviewLog(folder: string, last: BatchLink): Promise<void> {
  const links = await LinkHash.create();
  const files = logFiles(folder);
  let newest: LogRecord | undefined;
  const isNext = (record: LogRecord, content: Uint8Array): boolean => {
    if (record.sequence > last.sequence) return false;
    const { previous } = record;
    const continues =
      newest === undefined || (record.sequence === newest.sequence + 1 && equalBytes(previous, newest.hash));
    return continues && content.length === record.length && equalBytes(links.of(previous, content), record.hash);
  };
  const isWhole = files.every((first) => {
    const file = openSync(logFile(folder, first), "r+");
    try {
      const size = fstatSync(file).size;
      let at = 0;
      for (let record = readRecord(file, at); record !== undefined; record = readRecord(file, at)) {
        if (record.length > size || !isNext(record, readContent(file, at, record))) break;
        newest = record;
        at += RECORD_HEADER + record.length;
      }
      ftruncateSync(file, at);
      return at === size;
    } finally {
      closeSync(file);
    }
  });
  const isCurrent = newest?.sequence === last.sequence && equalBytes(newest.hash, last.hash);
  for (const first of files) {
    const isPast = newest === undefined || first > newest.sequence;
    if (!isCurrent || (!isWhole && isPast)) rmSync(logFile(folder, first));
  }
}
