import {
  bytesToNumber,
  decodeRlpList,
  EMPTY_BYTES,
  encodeRlp,
  equalBytes,
  numberToBytes,
  PrimitivesError,
  type RlpItem,
} from "@cambium/primitives";
import { BLOOM_LENGTH } from "./bloom.js";
import { readingRlp, TypesError } from "./errors.js";
import type { Log, Receipt } from "./interface.js";

/** Encodes a receipt: six items, including the status twice; zero gas is the empty string (`spec/01 §3.6`). */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const status = receipt.status === 1 ? Uint8Array.of(1) : EMPTY_BYTES;
  return encodeRlp([
    status,
    numberToBytes(receipt.cumulativeGas),
    receipt.logsBloom,
    receipt.logs.map((log) => [log.address, log.topics, log.data]),
    numberToBytes(receipt.gasUsed),
    status,
  ]);
}

/**
 * Decodes a receipt; accepts only the encoding of {@link encodeReceipt}. Throws {@link TypesError} `RECEIPT_MALFORMED`
 * or `RECEIPT_FIELD` for anything else.
 */
export function decodeReceipt(data: Uint8Array): Receipt {
  return readingRlp("RECEIPT_MALFORMED", () => {
    const items = checkedItems(decodeRlpList(data));
    const receipt: Receipt = {
      status: readStatus(items[0]!),
      cumulativeGas: readGas(items[1]!, "cumulativeGas"),
      logsBloom: readBloom(items[2]!),
      logs: items[3]!.items.map(readLog),
      gasUsed: readGas(items[4]!, "gasUsed"),
    };
    if (!equalBytes(encodeReceipt(receipt), data)) {
      throw new TypesError({ code: "RECEIPT_MALFORMED", reason: "not in canonical form" });
    }
    return receipt;
  });
}

/**
 * Returns bloom and number of logs of an encoded receipt; ignores its other parts. Throws like {@link decodeReceipt}.
 */
export function summariseReceipt(receipt: RlpItem): { logsBloom: Uint8Array; logCount: number } {
  return readingRlp("RECEIPT_MALFORMED", () => {
    const items = checkedItems(receipt.items);
    return { logsBloom: readBloom(items[2]!), logCount: items[3]!.items.length };
  });
}

function checkedItems(items: readonly RlpItem[]): readonly RlpItem[] {
  if (items.length !== 6) throw new TypesError({ code: "RECEIPT_MALFORMED", reason: `${items.length} items` });
  return items;
}

function readBloom({ bytes }: RlpItem): Uint8Array {
  if (bytes.length !== BLOOM_LENGTH) throw wrong("logsBloom", `${bytes.length} bytes`);
  return bytes;
}

function readStatus(item: RlpItem): 0 | 1 {
  if (item.bytes.length === 0) return 0;
  if (item.bytes.length === 1 && item.bytes[0] === 1) return 1;
  throw wrong("status", "neither 1 nor empty");
}

function readGas(item: RlpItem, field: "cumulativeGas" | "gasUsed"): number {
  try {
    return bytesToNumber(item.bytes);
  } catch (error) {
    if (error instanceof PrimitivesError) throw wrong(field, "too large");
    throw error;
  }
}

function readLog(item: RlpItem): Log {
  const parts = item.items;
  if (parts.length !== 3) throw wrong("logs", `${parts.length} items in a log`);
  const address = parts[0]!.bytes;
  if (address.length !== 20) throw wrong("logs", `address of ${address.length} bytes`);
  const topics = parts[1]!.items.map((topic) => topic.bytes);
  if (topics.some((topic) => topic.length !== 32)) throw wrong("logs", "topic is not 32 bytes");
  return { address, topics, data: parts[2]!.bytes };
}

function wrong(field: "status" | "cumulativeGas" | "logsBloom" | "logs" | "gasUsed", reason: string): TypesError {
  return new TypesError({ code: "RECEIPT_FIELD", field, reason });
}
