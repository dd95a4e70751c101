import { equalBytes } from "@cambium/primitives";
import { DatabaseError } from "../errors.js";
import { readNumber, writeNumber } from "../keys.js";
import type { Level } from "../level-opening.js";
import { LinkHash } from "./checksums.js";

/**
 * Number of a writer of a database. The writer numbers its batches and links each one to the one before by a hash. A
 * batch contains its own link, so that a missing batch below the latest one is detected: LevelDB drops damaged parts of
 * its log silently (docs/decisions/0012).
 */
export type WriterNumber = 0 | 1;

/** Table of the links, which no user of a database has. */
const LINKS = 0;
/** Number of latest batches whose links are kept for a writer. */
const KEPT_LINKS = 4096;
/** Sequence number, hash and hash of the batch before. */
const LINK_BYTES = 24;
const NO_LINK = new Uint8Array(8);

/** The place of a batch in the chain of its writer. */
export interface BatchLink {
  /** 1 for the first batch, then 2, 3, … */
  readonly sequence: number;
  /** Hash of the batch and those before it, 8 bytes. */
  readonly hash: Uint8Array;
  /** Hash of the batch before, 8 bytes. */
  readonly previous: Uint8Array;
}

/** Link before the first batch. */
const NONE: BatchLink = { sequence: 0, hash: NO_LINK, previous: NO_LINK };

/** Links the batches of one writer. */
export class BatchChain {
  private constructor(
    private readonly hash: LinkHash,
    private readonly writer: WriterNumber,
    private latestLink: BatchLink,
  ) {}

  /** Continues the chain in a database. */
  static async open(level: Level, writer: WriterNumber): Promise<BatchChain> {
    return new BatchChain(await LinkHash.create(), writer, await latestLink(level, writer));
  }

  /** The latest batch; its number is 0 if there is none. */
  get last(): BatchLink {
    return this.latestLink;
  }

  /**
   * The entry to write with the next batch. If it must be a certain one, throws {@link DatabaseError} `BATCH_ORDER` or
   * `BATCH_CONTENT` if it is not.
   */
  next(packed: Uint8Array, expected?: BatchLink): { key: Uint8Array; value: Uint8Array } {
    const { sequence, hash } = this.last;
    const link = { sequence: sequence + 1, hash: this.hash.of(hash, packed), previous: hash };
    if (expected !== undefined) requireSame(link, expected);
    this.latestLink = link;
    return this.latest();
  }

  /** The entry of the latest batch. */
  latest(): { key: Uint8Array; value: Uint8Array } {
    const { sequence, hash, previous } = this.last;
    const value = new Uint8Array(LINK_BYTES);
    writeNumber(value, 0, sequence);
    value.set(hash, 8);
    value.set(previous, 16);
    return { key: linkKey(this.writer, sequence % KEPT_LINKS), value };
  }
}

function requireSame(link: BatchLink, expected: BatchLink): void {
  const { sequence } = expected;
  if (sequence !== link.sequence || !equalBytes(expected.previous, link.previous)) {
    throw new DatabaseError({ code: "BATCH_ORDER", sequence, expected: link.sequence });
  }
  if (!equalBytes(expected.hash, link.hash)) throw new DatabaseError({ code: "BATCH_CONTENT", sequence });
}

/** The latest batch of a writer; its number is 0 if there is none. */
export async function latestLink(level: Level, writer: WriterNumber): Promise<BatchLink> {
  return (await readLinks(level, writer)).at(-1) ?? NONE;
}

/**
 * Returns the link of one of the latest {@link KEPT_LINKS} batches of a writer; undefined if it is no longer kept, or
 * not written yet.
 */
export function linkOf(level: Level, writer: WriterNumber, sequence: number): BatchLink | undefined {
  if (sequence === 0) return NONE;
  const value = level.getSync(linkKey(writer, sequence % KEPT_LINKS));
  const link = value && decodeLink(value);
  return link?.sequence === sequence ? link : undefined;
}

function decodeLink(value: Uint8Array): BatchLink {
  return { sequence: readNumber(value, 0), hash: value.slice(8, 16), previous: value.slice(16, 24) };
}

/** Why the batches of a database are not complete; undefined if they are. Reads a bounded number of entries. */
export async function missingBatch(level: Level): Promise<string | undefined> {
  for (const writer of [0, 1] as const) {
    const links = await readLinks(level, writer);
    const last = links.at(-1)?.sequence ?? 0;
    const expected = Math.min(last, KEPT_LINKS);
    for (let back = 0; back < expected; back++) {
      const link = links[links.length - 1 - back];
      if (link?.sequence !== last - back) return `batch ${last - back} of ${last} of writer ${writer} is missing`;
      const after = links[links.length - back];
      if (after !== undefined && !equalBytes(after.previous, link.hash)) {
        return `batch ${after.sequence} of writer ${writer} does not follow the one before it`;
      }
    }
  }
  return undefined;
}

/** Returns the links in ascending order. */
async function readLinks(level: Level, writer: WriterNumber): Promise<BatchLink[]> {
  const links: BatchLink[] = [];
  const range = { gte: linkKey(writer, 0), lt: linkKey(writer, KEPT_LINKS) };
  for await (const [, value] of level.iterator(range)) {
    if (value.length !== LINK_BYTES) continue;
    links.push(decodeLink(value));
  }
  return links.sort((a, b) => a.sequence - b.sequence);
}

function linkKey(writer: WriterNumber, slot: number): Uint8Array {
  return Uint8Array.of(LINKS, writer, slot >> 8, slot & 0xff);
}

/** Deletes the links of all batches, so that the chain starts again. */
export async function forgetLinks(level: Level): Promise<void> {
  await level.clear({ gte: Uint8Array.of(LINKS), lt: Uint8Array.of(LINKS + 1) });
}
