import type { KeyValueReader, Write } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import { ChainError } from "../errors.js";
import { TABLES } from "./tables.js";

/** How a fact is stored. */
export interface FactCodec<T> {
  key: Uint8Array;
  /** Name of the fact in errors. */
  what: string;
  /** May throw anything for bytes that {@link write} does not write. */
  decode(stored: Uint8Array): T;
  write(value: T): Write;
}

/**
 * Reads a fact; undefined if it is absent. Throws {@link ChainError} `DATABASE_DAMAGED` unless its bytes are exactly
 * those that are written for its value.
 */
export function canonicalFact<T>(reader: KeyValueReader, { key, what, decode, write }: FactCodec<T>): T | undefined {
  const stored = reader.get(TABLES.facts, key);
  if (stored === undefined) return undefined;
  try {
    const value = decode(stored);
    if (equalBytes(write(value).value!, stored)) return value;
  } catch (error) {
    throw new ChainError({ code: "DATABASE_DAMAGED", what, key }, { cause: error });
  }
  throw new ChainError({ code: "DATABASE_DAMAGED", what, key });
}
