import { EMPTY_BYTES, type RlpInput, type RlpItem, StrictRlp } from "@cambium/primitives";
import { TypesError } from "@cambium/types";
import { NetworkingError } from "./errors.js";

export function malformed(what: string, reason: string, cause?: unknown): NetworkingError {
  return new NetworkingError({ code: "MALFORMED", what, reason }, cause === undefined ? undefined : { cause });
}

/** Readers that throw {@link NetworkingError} `MALFORMED`. */
export const {
  readBigUint,
  readBytes,
  readHash,
  readList,
  readOptionalHash,
  readSignedInt,
  readTuple,
  readUint,
  readWhole,
  readWholeList,
} = new StrictRlp(malformed);

/** Returns the RLP of an item, which must be a list. Throws `MALFORMED`. */
export function rawList(item: RlpItem, what: string): Uint8Array {
  if (!item.isList) throw malformed(what, "not a list");
  return item.raw;
}

/** Encoder input for an optional hash. */
export function optionalHash(hash: Uint8Array | undefined): RlpInput {
  return hash ?? EMPTY_BYTES;
}

/** Runs a decoder of the types package; its errors become `MALFORMED`. */
export function readingTypes<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypesError) throw malformed(what, error.message, error);
    throw error;
  }
}
