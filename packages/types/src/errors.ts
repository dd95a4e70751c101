import { CambiumError, RlpError } from "@cambium/primitives";
import type { HeaderFields } from "./interface.js";

/** A field of a transaction as named in {@link TypesError}. */
export type TransactionField =
  | "nonce"
  | "gasPrice"
  | "gasLimit"
  | "to"
  | "value"
  | "data"
  | "v"
  | "r"
  | "s"
  | "sender"
  | "chainId";

/** Reasons why bytes are not a valid header, block, transaction or receipt. Decoders throw nothing else. */
export class TypesError extends CambiumError<
  | { code: "HEADER_MALFORMED"; reason: string }
  | { code: "HEADER_SIZE"; expected: string; actual: number }
  | { code: "HEADER_FIELD"; field: keyof HeaderFields; reason: string }
  | { code: "FORK_DETECTION_DATA"; reason: string }
  | { code: "EXTENSION_MALFORMED"; reason: string }
  | { code: "EXTENSION_UNKNOWN"; reason: string }
  | { code: "EXTENSION_MISMATCH"; reason: string }
  | { code: "TRANSACTION_MALFORMED"; reason: string }
  | { code: "TRANSACTION_SIZE"; expected: number; actual: number }
  | { code: "TRANSACTION_FIELD"; field: TransactionField; reason: string }
  | { code: "BLOCK_MALFORMED"; reason: string }
  | { code: "BLOCK_SIZE"; expected: number; actual: number }
  | { code: "TRANSACTIONS_ROOT"; expected: Uint8Array; actual: Uint8Array }
  | { code: "UNCLES_HASH"; expected: Uint8Array; actual: Uint8Array }
  | { code: "RECEIPT_MALFORMED"; reason: string }
  | { code: "RECEIPT_FIELD"; field: "status" | "cumulativeGas" | "logsBloom" | "logs" | "gasUsed"; reason: string }
  | { code: "GAS_VALUE"; bytes: Uint8Array }
> {}

type MalformedCode =
  | "HEADER_MALFORMED"
  | "EXTENSION_MALFORMED"
  | "TRANSACTION_MALFORMED"
  | "BLOCK_MALFORMED"
  | "RECEIPT_MALFORMED";

/** Runs a decoder; converts an RLP error to a {@link TypesError} with the given code. */
export function readingRlp<T>(code: MalformedCode, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RlpError) throw new TypesError({ code, reason: error.message }, { cause: error });
    throw error;
  }
}
