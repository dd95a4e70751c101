import { equalBytes } from "@cambium/primitives";
import { readNumber, writeNumber } from "../keys.js";
import type { Level } from "../level-opening.js";
import { LinkHash } from "./checksums.js";

/**
 * Each writer of a database has a lane, in which it numbers its batches and links each one to the one before by a hash. A batch
 * contains its own link, so that a batch which is missing below the latest one is found: LevelDB drops damaged parts of its
 * log silently (docs/decisions/0012).
 */
export type Lane = 0 | 1;

/** Table of the links, which no user of a database has. */
const LINKS = 0;
/** Number of latest batches whose links are kept in a lane. */
export const KEPT_LINKS = 4096;
/** Sequence number, hash and hash of the batch before. */
const LINK_BYTES = 24;
const NO_LINK = new Uint8Array(8);

interface Link {
  sequence: number;
  hash: Uint8Array;
  previous: Uint8Array;
}

/** Links the batches of one writer. */
export class BatchChain {
  private constructor(
    private readonly hash: LinkHash,
    private readonly lane: Lane,
    private last: Link,
  ) {}

  /** Continues the chain in a database. */
  static async open(level: Level, lane: Lane): Promise<BatchChain> {
    const links = await readLinks(level, lane);
    const last = links.at(-1) ?? { sequence: 0, hash: NO_LINK, previous: NO_LINK };
    return new BatchChain(await LinkHash.create(), lane, last);
  }

  /** The entry to write with the next batch. */
  next(packed: Uint8Array): { key: Uint8Array; value: Uint8Array } {
    const { sequence, hash } = this.last;
    this.last = { sequence: sequence + 1, hash: this.hash.of(hash, packed), previous: hash };
    return this.latest();
  }

  /** The entry of the latest batch. */
  latest(): { key: Uint8Array; value: Uint8Array } {
    const { sequence, hash, previous } = this.last;
    const value = new Uint8Array(LINK_BYTES);
    writeNumber(value, 0, sequence);
    value.set(hash, 8);
    value.set(previous, 16);
    return { key: linkKey(this.lane, sequence % KEPT_LINKS), value };
  }
}

/** Why the batches of a database are not complete; undefined if they are. Reads a bounded number of entries. */
export async function missingBatch(level: Level): Promise<string | undefined> {
  for (const lane of [0, 1] as const) {
    const links = await readLinks(level, lane);
    const last = links.at(-1)?.sequence ?? 0;
    const expected = Math.min(last, KEPT_LINKS);
    for (let back = 0; back < expected; back++) {
      const link = links[links.length - 1 - back];
      if (link?.sequence !== last - back) return `batch ${last - back} of ${last} of writer ${lane} is missing`;
      const after = links[links.length - back];
      if (after !== undefined && !equalBytes(after.previous, link.hash)) {
        return `batch ${after.sequence} of writer ${lane} does not follow the one before it`;
      }
    }
  }
  return undefined;
}

/** In ascending order. */
async function readLinks(level: Level, lane: Lane): Promise<Link[]> {
  const links: Link[] = [];
  const range = { gte: linkKey(lane, 0), lt: linkKey(lane, KEPT_LINKS) };
  for await (const [, value] of level.iterator(range)) {
    if (value.length !== LINK_BYTES) continue;
    links.push({ sequence: readNumber(value, 0), hash: value.slice(8, 16), previous: value.slice(16, 24) });
  }
  return links.sort((a, b) => a.sequence - b.sequence);
}

function linkKey(lane: Lane, slot: number): Uint8Array {
  return Uint8Array.of(LINKS, lane, slot >> 8, slot & 0xff);
}

/** Deletes the links of all batches, so that the chain starts anew. */
export async function forgetLinks(level: Level): Promise<void> {
  await level.clear({ gte: Uint8Array.of(LINKS), lt: Uint8Array.of(LINKS + 1) });
}
