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
import { FACTS, TABLES } from "../store/tables.js";

/** A block that is known by more than its place. */
export interface WeighedBlock {
  number: number;
  hash: Uint8Array;
  /** Of the chain up to it. */
  totalDifficulty: bigint;
}

/** How far the installation of a snapshot is, as the database remembers it. */
export interface SnapshotProgress {
  /** The block whose state is being fetched. */
  checkpoint: WeighedBlock;
  /** Headers are verified from the checkpoint down to this one. */
  headers: { number: number; hash: Uint8Array };
  /** Where the next chunk begins; undefined when all are stored. */
  nextChunk: number | undefined;
  /** Where the last stored node ends, and where the one after it does (`spec/07 §B.9`). */
  position: number;
  nextEnd: number;
  /** Bytes of the whole state, 0 until a chunk was verified. */
  stateSize: number;
  /** Blocks are stored from the checkpoint down to this one. */
  earliest: WeighedBlock;
}

/** As the database has it; undefined when no installation is under way. */
export function readProgress(reader: KeyValueReader): SnapshotProgress | undefined {
  const stored = reader.get(TABLES.facts, FACTS.snapshotProgress);
  if (stored === undefined) return undefined;
  const [checkpoint, headers, chunks, earliest] = decodeRlpList(stored);
  const [next, position, nextEnd, size] = chunks!.items.map(({ bytes }) => bytes);
  return {
    checkpoint: readWeighed(checkpoint!),
    headers: { number: bytesToNumber(headers!.items[0]!.bytes), hash: headers!.items[1]!.bytes },
    // One more than the offset: 0 stands for none.
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
