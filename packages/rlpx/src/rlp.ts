import { StrictRlp } from "@cambium/primitives";
import { RlpxError } from "./errors.js";

export function malformed(what: string, reason: string, cause?: unknown): RlpxError {
  return new RlpxError({ code: "MALFORMED", what, reason }, cause === undefined ? undefined : { cause });
}

/** Readers that throw {@link RlpxError} `MALFORMED`. */
export const {
  readBigUint,
  readBytes,
  readHash,
  readList,
  readSignedInt,
  readTuple,
  readUint,
  readWhole,
  readWholeList,
} = new StrictRlp(malformed);
