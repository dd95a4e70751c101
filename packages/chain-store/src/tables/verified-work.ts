import type { KeyValueReader, Write } from "@cambium/database";
import {
  bigintToBytes,
  bytesToBigint,
  bytesToNumber,
  decodeRlpList,
  encodeRlp,
  numberToBytes,
} from "@cambium/primitives";
import { canonicalFact } from "./canonical-fact.js";
import { FACTS, TABLES } from "./tables.js";

/** The headers below a snapshot whose links, difficulties and work are verified, counting down. */
export interface VerifiedWork {
  /** The lowest of them. */
  number: number;
  hash: Uint8Array;
  /** Bounds of the total difficulty up to this block, because headers do not tell the difficulties of their uncles. */
  least: bigint;
  most: bigint;
  /** Whether the lowest one is genesis or another block that is trusted. */
  isComplete: boolean;
}

/** Reads what was stored; throws {@link ChainError} `DATABASE_DAMAGED` if {@link verifiedWorkWrite} cannot write it. */
export function readVerifiedWork(reader: KeyValueReader): VerifiedWork | undefined {
  return canonicalFact(reader, {
    key: FACTS.verifiedWork,
    what: "verified work",
    decode,
    write: verifiedWorkWrite,
  });
}

function decode(stored: Uint8Array): VerifiedWork {
  const [number, hash, least, most, isComplete] = decodeRlpList(stored).map(({ bytes }) => bytes);
  return {
    number: bytesToNumber(number!),
    hash: hash!,
    least: bytesToBigint(least!),
    most: bytesToBigint(most!),
    isComplete: isComplete!.length > 0,
  };
}

export function verifiedWorkWrite({ number, hash, least, most, isComplete }: VerifiedWork): Write {
  const sums = [least, most].map(bigintToBytes);
  const value = encodeRlp([numberToBytes(number), hash, ...sums, numberToBytes(isComplete ? 1 : 0)]);
  return { table: TABLES.facts, key: FACTS.verifiedWork, value };
}
