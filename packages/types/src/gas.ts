import { MAX_INT64 } from "@cambium/config";
import { bytesToBigint } from "@cambium/primitives";
import { TypesError } from "./errors.js";

/**
 * Converts raw gas bytes as execution does (`spec/02 §10`, Q6), by length first. More than 8 bytes, even if they are
 * leading zeros, give 2^63 - 1. Throws {@link TypesError} `GAS_VALUE` if there are 8 bytes with the top bit set.
 */
export function gasValue(bytes: Uint8Array): bigint {
  if (bytes.length > 8) return MAX_INT64;
  if (bytes.length === 8 && bytes[0]! >= 0x80) throw new TypesError({ code: "GAS_VALUE", bytes });
  return bytesToBigint(bytes);
}
