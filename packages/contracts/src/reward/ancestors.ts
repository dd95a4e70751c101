import type { AncestorReader } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import { NativeContractError } from "../errors.js";

/**
 * Header of an ancestor. Throws {@link NativeContractError} `MISSING_ANCESTOR` if it is missing, which is impossible in
 * a valid chain.
 */
export function ancestorHeader(ancestors: AncestorReader, number: number): BlockHeader {
  const header = ancestors.header(number);
  if (header === undefined) throw new NativeContractError({ code: "MISSING_ANCESTOR", number });
  return header;
}

/**
 * Hash of an ancestor. Throws {@link NativeContractError} `MISSING_ANCESTOR` if it is missing, which is impossible in a
 * valid chain.
 */
export function ancestorHash(ancestors: AncestorReader, number: number): Uint8Array {
  const hash = ancestors.hash(number);
  if (hash === undefined) throw new NativeContractError({ code: "MISSING_ANCESTOR", number });
  return hash;
}
