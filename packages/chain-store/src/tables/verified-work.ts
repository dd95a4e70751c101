import type { KeyValueReader, Write } from "@cambium/database";
import {
  bigintToBytes,
  bytesToBigint,
  bytesToNumber,
  decodeRlpList,
  encodeRlp,
  equalBytes,
  numberToBytes,
} from "@cambium/primitives";
import { ChainError } from "../errors.js";
import { FACTS, TABLES } from "./tables.js";

/** What a message calls it. */
const WHAT = "verified work";

/** The headers below a snapshot whose links, difficulties and work are verified, counting down. */
export interface VerifiedWork {
  /** The lowest of them. */
  number: number;
  hash: Uint8Array;
  /** Bounds of the total difficulty up to it, because headers do not tell the difficulties of their uncles. */
  least: bigint;
  most: bigint;
  /** Whether the lowest one is genesis or another block that is trusted. */
  isComplete: boolean;
}

/** Reads what was stored; throws {@link ChainError} `DATABASE_DAMAGED` if {@link verifiedWorkWrite} cannot write it. */
export function readVerifiedWork(reader: KeyValueReader): VerifiedWork | undefined {
  const key = FACTS.verifiedWork;
  const stored = reader.get(TABLES.facts, key);
  if (stored === undefined) return undefined;
  try {
    const work = decode(stored);
    if (equalBytes(verifiedWorkWrite(work).value!, stored)) return work;
  } catch (error) {
    throw new ChainError({ code: "DATABASE_DAMAGED", what: WHAT, key }, { cause: error });
  }
  throw new ChainError({ code: "DATABASE_DAMAGED", what: WHAT, key });
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
