import type { KeyValueReader, Write } from "@cambium/database";
import {
  bigintToBytes,
  bytesToBigint,
  bytesToNumber,
  decodeRlpList,
  encodeRlp,
  numberToBytes,
  type RlpItem,
} from "@cambium/primitives";
import { canonicalFact } from "./canonical-fact.js";
import { FACTS, TABLES } from "./tables.js";

/** A block and its total difficulty. */
export interface WeighedBlock {
  number: number;
  hash: Uint8Array;
  /** Total difficulty of the chain up to and including the block. */
  totalDifficulty: bigint;
}

/** Persistent progress of a snapshot installation. */
export interface SnapshotProgress {
  /** The block whose state is downloaded. */
  checkpoint: WeighedBlock;
  /** The lowest header verified so far, counting down from the checkpoint. */
  headers: { number: number; hash: Uint8Array };
  /** Offset of the next chunk; undefined if all are stored. */
  nextChunk: number | undefined;
  /** End offsets of the last stored node and of the node after it (`spec/07 §B.9`). */
  position: number;
  nextEnd: number;
  /** Size of the whole state in bytes; 0 until a chunk has been verified. */
  stateSize: number;
  /** The lowest block stored so far, counting down from the checkpoint. */
  earliest: WeighedBlock;
}

/**
 * Reads the progress; undefined if no installation is in progress. Throws {@link ChainError} `DATABASE_DAMAGED` if it
 * has another form than {@link progressWrite} writes.
 */
export function readProgress(reader: KeyValueReader): SnapshotProgress | undefined {
  return canonicalFact(reader, {
    key: FACTS.snapshotProgress,
    what: "progress of a snapshot",
    decode: decodeProgress,
    write: progressWrite,
  });
}

function decodeProgress(stored: Uint8Array): SnapshotProgress {
  const [checkpoint, headers, chunks, earliest] = decodeRlpList(stored);
  const [next, position, nextEnd, size] = chunks!.items.map(({ bytes }) => bytes);
  return {
    checkpoint: readWeighed(checkpoint!),
    headers: { number: bytesToNumber(headers!.items[0]!.bytes), hash: headers!.items[1]!.bytes },
    // Stored as offset plus one; empty means none.
    nextChunk: next!.length === 0 ? undefined : bytesToNumber(next!) - 1,
    position: bytesToNumber(position!),
    nextEnd: bytesToNumber(nextEnd!),
    stateSize: bytesToNumber(size!),
    earliest: readWeighed(earliest!),
  };
}

export function progressWrite(progress: SnapshotProgress): Write {
  const { checkpoint, headers, nextChunk, position, nextEnd, stateSize, earliest } = progress;
  const value = encodeRlp([
    weighed(checkpoint),
    [numberToBytes(headers.number), headers.hash],
    [nextChunk === undefined ? 0 : nextChunk + 1, position, nextEnd, stateSize].map(numberToBytes),
    weighed(earliest),
  ]);
  return { table: TABLES.facts, key: FACTS.snapshotProgress, value };
}

function weighed({ number, hash, totalDifficulty }: WeighedBlock): Uint8Array[] {
  return [numberToBytes(number), hash, bigintToBytes(totalDifficulty)];
}

function readWeighed({ items }: RlpItem): WeighedBlock {
  const [number, hash, totalDifficulty] = items.map(({ bytes }) => bytes);
  return { number: bytesToNumber(number!), hash: hash!, totalDifficulty: bytesToBigint(totalDifficulty!) };
}
