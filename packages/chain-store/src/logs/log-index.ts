import {
  fromMapKey,
  type KeyValueReader,
  mapKey,
  readNumber,
  type Table,
  type Write,
  writeNumber,
} from "@cambium/database";
import { append, toHex } from "@cambium/primitives";
import type { Log, Receipt } from "@cambium/types";
import type { LogQuery } from "../interface.js";
import { FACTS, TABLES } from "../tables/tables.js";

/**
 * Index of the blocks of the best chain that have logs of an address or with a topic at a position.
 *
 * A chunk is 256 consecutive blocks, a span 256 consecutive chunks. For every term (address, or position and topic) in
 * a chunk, one bitmap marks the chunk's blocks that have it, and another the span's chunks. A chunk is written when it
 * is complete; blocks after the last complete chunk are searched by their bloom filters. A reorganisation can leave
 * bits of abandoned blocks behind, so matches are always verified against the receipts.
 */
export const CHUNK_BLOCKS = 256;
const SPAN_CHUNKS = 256;
const SPAN_BLOCKS = CHUNK_BLOCKS * SPAN_CHUNKS;
const BITMAP_BYTES = 32;

/** An indexed term: an address, or a topic and its position. */
type Term = Uint8Array;

function addressTerm(address: Uint8Array): Term {
  return term(0, address);
}

function topicTerm(position: number, topic: Uint8Array): Term {
  return term(1 + position, topic);
}

function term(kind: number, bytes: Uint8Array): Term {
  const out = new Uint8Array(1 + bytes.length);
  out[0] = kind;
  out.set(bytes, 1);
  return out;
}

export function chunkOf(number: number): number {
  return Math.floor(number / CHUNK_BLOCKS);
}

/** Key of a term in a chunk or a span. */
function positionKey(name: Term, position: number): Uint8Array {
  const out = new Uint8Array(name.length + 8);
  out.set(name, 0);
  writeNumber(out, name.length, position);
  return out;
}

function setBit(bitmap: Uint8Array, position: number): void {
  bitmap[position >> 3]! |= 1 << (position & 7);
}

function hasBit(bitmap: Uint8Array, position: number): boolean {
  return (bitmap[position >> 3]! & (1 << (position & 7))) !== 0;
}

function union(a: Uint8Array | undefined, b: Uint8Array | undefined): Uint8Array | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.map((byte, i) => byte | b[i]!);
}

/** Number of complete chunks in the database. */
export function completeChunks(reader: KeyValueReader): number {
  const stored = reader.get(TABLES.facts, FACTS.logChunks);
  return stored === undefined ? 0 : readNumber(stored, 0);
}

/** Whether the index has a log of a block, which must be in a complete chunk. */
export function isIndexed(reader: KeyValueReader, { address, topics }: Log, number: number): boolean {
  const terms = [addressTerm(address), ...topics.map((topic, position) => topicTerm(position, topic))];
  return terms.every((name) => hasTerm(reader, name, number));
}

function hasTerm(reader: KeyValueReader, name: Term, number: number): boolean {
  const chunk = chunkOf(number);
  const blocks = reader.get(TABLES.logChunks, positionKey(name, chunk));
  const chunks = reader.get(TABLES.logSpans, positionKey(name, Math.floor(chunk / SPAN_CHUNKS)));
  return (
    blocks !== undefined &&
    chunks !== undefined &&
    hasBit(blocks, number % CHUNK_BLOCKS) &&
    hasBit(chunks, chunk % SPAN_CHUNKS)
  );
}

/** Updates the index; each importing chain has one. */
export class LogIndexWriter {
  private complete: number;
  /** Terms of incomplete chunks. */
  private readonly open = new Map<number, Map<string, Uint8Array>>();

  constructor(private readonly reader: KeyValueReader) {
    this.complete = completeChunks(reader);
  }

  /** First block to {@link add} again after the database is opened. */
  get firstOpenBlock(): number {
    return this.complete * CHUNK_BLOCKS;
  }

  /** Adds a block that is (or is about to be) on the best chain; returns the changes to write with it. */
  add(number: number, receipts: readonly Receipt[]): Write[] {
    const chunk = chunkOf(number);
    const writes = this.completeUpTo(chunk);
    const terms = chunk < this.complete ? new Map<string, Uint8Array>() : this.openChunk(chunk);
    for (const { logs } of receipts) for (const log of logs) noteLog(terms, log, number % CHUNK_BLOCKS);
    return chunk < this.complete ? [...writes, ...this.chunkWrites(chunk, terms)] : writes;
  }

  private openChunk(chunk: number): Map<string, Uint8Array> {
    let terms = this.open.get(chunk);
    if (terms === undefined) this.open.set(chunk, (terms = new Map()));
    return terms;
  }

  private completeUpTo(chunk: number): Write[] {
    const writes: Write[] = [];
    if (chunk <= this.complete) return writes;
    for (; this.complete < chunk; this.complete++) {
      append(writes, this.chunkWrites(this.complete, this.openChunk(this.complete)));
      this.open.delete(this.complete);
    }
    const value = new Uint8Array(8);
    writeNumber(value, 0, this.complete);
    writes.push({ table: TABLES.facts, key: FACTS.logChunks, value });
    return writes;
  }

  private chunkWrites(chunk: number, terms: Map<string, Uint8Array>): Write[] {
    const writes: Write[] = [];
    // A new chunk has no stored entries, and most of these reads would search the whole database without a result.
    const isNew = chunk >= this.complete;
    for (const [text, bitmap] of terms) {
      const name = fromMapKey(text);
      const blocks = positionKey(name, chunk);
      const stored = isNew ? undefined : this.reader.get(TABLES.logChunks, blocks);
      writes.push({ table: TABLES.logChunks, key: blocks, value: union(bitmap, stored)! });
      const span = positionKey(name, Math.floor(chunk / SPAN_CHUNKS));
      const chunks = this.reader.get(TABLES.logSpans, span)?.slice() ?? new Uint8Array(BITMAP_BYTES);
      setBit(chunks, chunk % SPAN_CHUNKS);
      writes.push({ table: TABLES.logSpans, key: span, value: chunks });
    }
    return writes;
  }
}

/**
 * Changes that remove the blocks from `from` on, up to but not including `end`, from the index. They are in one chunk,
 * those below them are not in the index, and `logs` are at least theirs.
 */
export function removalWrites(reader: KeyValueReader, logs: Iterable<Log>, from: number, end: number): Write[] {
  const terms = new Map<string, Uint8Array>();
  for (const log of logs) noteLog(terms, log, from % CHUNK_BLOCKS);
  const chunk = chunkOf(from);
  const span = Math.floor(chunk / SPAN_CHUNKS);
  const writes: Write[] = [];
  for (const text of terms.keys()) {
    const name = fromMapKey(text);
    const blocks = bitmapFrom(reader, TABLES.logChunks, positionKey(name, chunk), end - chunk * CHUNK_BLOCKS);
    writes.push(blocks);
    if (blocks.value !== undefined) continue;
    writes.push(bitmapFrom(reader, TABLES.logSpans, positionKey(name, span), chunk + 1 - span * SPAN_CHUNKS));
  }
  return writes;
}

/** The change that clears the bits of a bitmap below a position, and deletes it if none are left. */
function bitmapFrom(reader: KeyValueReader, table: Table, key: Uint8Array, position: number): Write {
  const isWhole = position === BITMAP_BYTES * 8;
  const value = isWhole ? undefined : reader.get(table, key)?.slice();
  for (let bit = 0; value !== undefined && bit < position; bit++) value[bit >> 3]! &= ~(1 << (bit & 7));
  return { table, key, value: value?.some((byte) => byte !== 0) ? value : undefined };
}

function noteLog(terms: Map<string, Uint8Array>, log: Log, position: number): void {
  noteTerm(terms, addressTerm(log.address), position);
  for (let i = 0; i < log.topics.length; i++) noteTerm(terms, topicTerm(i, log.topics[i]!), position);
}

function noteTerm(terms: Map<string, Uint8Array>, name: Term, position: number): void {
  const key = mapKey(name);
  let bitmap = terms.get(key);
  if (bitmap === undefined) terms.set(key, (bitmap = new Uint8Array(BITMAP_BYTES)));
  setBit(bitmap, position);
}

/** Whether a position matches any log, even one without a topic there (`spec/09 §9.1`). */
function isAnything(alternatives: readonly Uint8Array[] | null): alternatives is null {
  return alternatives === null || alternatives.length === 0;
}

/** Terms of a query; a block must have at least one term of every inner list. */
function conditions(query: LogQuery): Term[][] {
  const needed: Term[][] = [];
  if (query.addresses !== undefined && query.addresses.length > 0) needed.push(query.addresses.map(addressTerm));
  for (const [position, alternatives] of (query.topics ?? []).entries()) {
    if (!isAnything(alternatives)) needed.push(alternatives.map((topic) => topicTerm(position, topic)));
  }
  return needed;
}

/**
 * Yields the blocks of the range that may have matching logs, ascending, as far as the index is complete. Returns the
 * end of that part. Without conditions, every block qualifies.
 */
export function* candidateBlocks(reader: KeyValueReader, query: LogQuery): Generator<number> {
  const needed = conditions(query);
  const last = Math.min(query.toBlock, completeChunks(reader) * CHUNK_BLOCKS - 1);
  for (let number = query.fromBlock; number <= last; ) {
    const span = Math.floor(number / SPAN_BLOCKS);
    const chunks = matching(reader, needed, TABLES.logSpans, span);
    const end = Math.min(last, (span + 1) * SPAN_BLOCKS - 1);
    yield* candidatesOfSpan(reader, needed, chunks, number, end);
    number = end + 1;
  }
}

function* candidatesOfSpan(
  reader: KeyValueReader,
  needed: Term[][],
  chunks: Uint8Array | undefined,
  from: number,
  to: number,
): Generator<number> {
  for (let chunk = chunkOf(from); chunk <= chunkOf(to); chunk++) {
    if (chunks === undefined || !hasBit(chunks, chunk % SPAN_CHUNKS)) continue;
    const blocks = matching(reader, needed, TABLES.logChunks, chunk);
    if (blocks === undefined) continue;
    const end = Math.min(to, (chunk + 1) * CHUNK_BLOCKS - 1);
    for (let number = Math.max(from, chunk * CHUNK_BLOCKS); number <= end; number++) {
      if (hasBit(blocks, number % CHUNK_BLOCKS)) yield number;
    }
  }
}

/** Positions that satisfy every condition; undefined if there are none. */
function matching(reader: KeyValueReader, needed: Term[][], table: Table, position: number): Uint8Array | undefined {
  const result = new Uint8Array(BITMAP_BYTES).fill(0xff);
  for (const alternatives of needed) {
    let any: Uint8Array | undefined;
    for (const name of alternatives) any = union(any, reader.get(table, positionKey(name, position)));
    if (any === undefined) return undefined;
    for (let i = 0; i < BITMAP_BYTES; i++) result[i]! &= any[i]!;
  }
  return result;
}

/** Creates a predicate for logs that match the query, apart from its range. */
export function logMatcher(query: LogQuery): (log: Log) => boolean {
  const addresses = query.addresses?.length ? new Set(query.addresses.map(toHex)) : undefined;
  const topics = (query.topics ?? []).map((alternatives) =>
    isAnything(alternatives) ? undefined : new Set(alternatives.map(toHex)),
  );
  return (log) =>
    (addresses === undefined || addresses.has(toHex(log.address))) &&
    topics.every((set, i) => set === undefined || (i < log.topics.length && set.has(toHex(log.topics[i]!))));
}
