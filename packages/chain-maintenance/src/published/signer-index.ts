import { bigintToFixedBytes, fromHex, isJsonObject, signHash, toHex } from "@cambium/primitives";
import { PublishedStateError } from "./errors.js";

/** An archive in the index of a signer (`spec/10 §1`). */
export interface IndexEntry {
  /** Number of the newest block. */
  height: number;
  /** Path of the archive below the base address. */
  path: string;
  /** SHA-256 of the archive. */
  hash: Uint8Array;
  /** Big-endian, without a maximum length. */
  r: Uint8Array;
  s: Uint8Array;
}

const HASH_BYTES = 32;
/** Maximum length of a number in a signature, in bytes; leading zeros are accepted. */
const MAX_NUMBER = 128;
const MAX_PATH = 1024;

/**
 * Returns the entries of an index, without malformed ones and without unknown members. Throws
 * {@link PublishedStateError} `INDEX` if a height occurs twice, or if the text is not an index.
 */
export function parseIndex(text: string): IndexEntry[] {
  const entries = listOf(text)
    .map(parseEntry)
    .filter((entry) => entry !== undefined);
  const heights = new Set(entries.map(({ height }) => height));
  if (heights.size < entries.length) throw malformedIndex("a height occurs twice");
  return entries;
}

/** An archive that its publisher signs. */
export interface PublishedArchive {
  height: number;
  path: string;
  hash: Uint8Array;
  /** Day of the publication: `2026-11-27`. */
  date: string;
}

/**
 * An index with a further archive, signed by `privateKey`, which replaces one of the same height. `before` is the text
 * of the index so far. Throws {@link PublishedStateError} `INDEX` if that is malformed.
 */
export function signedIndex(before: string | undefined, archive: PublishedArchive, privateKey: Uint8Array): string {
  const { height, date, path: db, hash } = archive;
  const { r, s } = signHash(hash, privateKey);
  const sig = { r: toHex(bigintToFixedBytes(r, HASH_BYTES)), s: toHex(bigintToFixedBytes(s, HASH_BYTES)) };
  const others =
    before === undefined ? [] : listOf(before).filter((one) => !isJsonObject(one) || one.height !== height);
  return `${JSON.stringify({ dbs: [...others, { height, date, db, hash: toHex(hash), sig }] }, undefined, 2)}\n`;
}

function listOf(text: string): readonly unknown[] {
  try {
    const index: unknown = JSON.parse(text);
    if (isJsonObject(index) && (index.dbs === undefined || Array.isArray(index.dbs))) return index.dbs ?? [];
  } catch {
    throw malformedIndex("expected JSON");
  }
  throw malformedIndex("expected an object with the list dbs");
}

function parseEntry(entry: unknown): IndexEntry | undefined {
  if (!isJsonObject(entry) || !isJsonObject(entry.sig)) return undefined;
  const { height, db: path } = entry;
  const [hash, r, s] = [entry.hash, entry.sig.r, entry.sig.s].map(bytesOf);
  if (!Number.isSafeInteger(height) || (height as number) <= 0 || typeof path !== "string" || !isBelowBase(path))
    return undefined;
  if (hash?.length !== HASH_BYTES || r === undefined || s === undefined) return undefined;
  return { height: height as number, path, hash, r, s };
}

function bytesOf(value: unknown): Uint8Array | undefined {
  return typeof value === "string" && value.length <= 2 * MAX_NUMBER && /^(?:[\da-f]{2})+$/i.test(value)
    ? fromHex(value)
    : undefined;
}

/** Whether a path names a file below the base address, however it is read. */
function isBelowBase(path: string): boolean {
  return path.length <= MAX_PATH && /^[\w-][\w./-]*$/.test(path) && !path.includes("..");
}

function malformedIndex(reason: string): PublishedStateError {
  return new PublishedStateError({ code: "INDEX", reason });
}
