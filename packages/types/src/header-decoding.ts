import { hasExecutionLists, MAX_INT64, type NetworkConfig, type Rules, rulesAt } from "@cambium/config";
import {
  bytesToBigint,
  bytesToNumber,
  decodeRlpList,
  EMPTY_BYTES,
  EMPTY_TRIE_ROOT,
  type RlpItem,
  stripLeadingZeros,
  twosComplementToBigint,
} from "@cambium/primitives";
import { TypesError } from "./errors.js";
import type { HeaderFields } from "./interface.js";
import { edgesFromBytes } from "./scalars.js";

/** First height at which the merged-mining hash of a decoded header includes fork-detection data (`spec/01 §2.6`). */
const FIRST_FORK_DETECTION_BLOCK = 449;

/** Parameters for the computation of a header's hashes; they are not part of its encoding. */
export interface HeaderOptions {
  /** Whether the block hash omits the Merkle proof and the parent-chain coinbase (RSKIP-92). */
  shortHash: boolean;
  /** Whether the merged-mining hash ends with fork-detection data (RSKIP-110). */
  forkDetection: boolean;
  /** Fork-detection data of a header without mining fields, 12 bytes. */
  forkDetectionData?: Uint8Array;
  /** Configured bytes of the genesis difficulty, encoded with their leading zeros (`spec/01 §2.7`). */
  difficultyBytes?: Uint8Array;
  /** Field 6 as received, in a compressed header of version 1 or 2 whose extension is unknown. */
  extensionData?: Uint8Array;
  /** Exact values of fields that read as {@link OUT_OF_RANGE}. */
  outOfRange?: { number: bigint; gasUsed: bigint };
}

/**
 * Value of `number` and `gasUsed` from 2^53 on. No block, gas amount or height that is counted here ever equals it, so
 * every rule that reads such a field rejects it. Hashes and encodings use the exact value.
 */
export const OUT_OF_RANGE = 2 ** 53;

export interface ParsedHeader {
  fields: HeaderFields;
  options: HeaderOptions;
}

/** Returns the options of a header with this number (`spec/01 §2.6`, step 15). */
export function headerOptions(network: NetworkConfig, number: number): HeaderOptions {
  const rules = rulesAt(network, number);
  return { shortHash: rules.rskip92, forkDetection: rules.rskip110 && number >= FIRST_FORK_DETECTION_BLOCK };
}

/**
 * Decodes the items of a header in the order of `spec/01 §2.6`. Throws {@link TypesError} if a field is invalid,
 * RlpError if field 6 is malformed.
 */
export function parseHeader(
  items: readonly RlpItem[],
  network: NetworkConfig,
  form: "full" | "compressed",
): ParsedHeader {
  if (items.length < 16) throw wrongSize("16 or more", items.length);
  const exactNumber = unsignedLong(items[8]!, "number");
  const number = countOf(exactNumber);
  const rules = rulesAt(network, number);
  checkSize(items.length, number, rules, network, form);
  const fields = parseBase(items, number);
  parseTail(items, fields, rules, form);
  const options = headerOptions(network, number);
  const exactGasUsed = unsignedLong(items[10]!, "gasUsed");
  if (number === OUT_OF_RANGE || fields.gasUsed === OUT_OF_RANGE) {
    options.outOfRange = { number: exactNumber, gasUsed: exactGasUsed };
  }
  if (number === 0) return genesis(fields, items[7]!.bytes, options);
  if (fields.version !== 0) checkVersioned(fields, options, form);
  if (fields.version === 1) fields.baseEvent = null;
  return { fields, options };
}

/** Checks field 6 in versions 1 and 2. The extension's hash requires a bloom of any length (`spec/01 §2.4`). */
function checkVersioned(fields: HeaderFields, options: HeaderOptions, form: string): void {
  if (form === "compressed") {
    options.extensionData = fields.logsBloom;
    fields.logsBloom = EMPTY_BYTES;
  } else if (fields.logsBloom.length === 0) {
    throw wrong("logsBloom", `empty in a header of version ${fields.version}`);
  }
}

function checkSize(actual: number, number: number, rules: Rules, network: NetworkConfig, form: string): void {
  let size = rules.rskipUmm ? 17 : 16;
  let tolerated = false;
  if (form === "full" && rules.rskip351) {
    size += 1 + (rules.rskip144 ? 1 : 0) + (rules.rskip535 ? 1 : 0);
    tolerated = rules.rskip535 && number < network.consensus.baseEventRequiredFrom;
  }
  const withoutMining = actual < size + 2 ? actual : actual - 3;
  if (withoutMining !== size && !(tolerated && withoutMining === size - 1)) {
    throw wrongSize(`${size} or ${size + 3}`, actual);
  }
}

function wrongSize(expected: string, actual: number): TypesError {
  return new TypesError({ code: "HEADER_SIZE", expected, actual });
}

/** Parses fields 0 to 15. */
function parseBase(items: readonly RlpItem[], number: number): HeaderFields {
  const coinbase = items[2]!.bytes;
  if (coinbase.length !== 0 && coinbase.length !== 20) throw wrong("coinbase", `${coinbase.length} bytes`);
  return {
    parentHash: items[0]!.bytes,
    unclesHash: items[1]!.bytes,
    coinbase,
    stateRoot: root(items[3]!),
    transactionsRoot: root(items[4]!),
    receiptsRoot: root(items[5]!),
    logsBloom: items[6]!.bytes,
    difficulty: difficulty(items[7]!.bytes),
    number,
    gasLimit: items[9]!.bytes,
    gasUsed: countOf(unsignedLong(items[10]!, "gasUsed")),
    timestamp: unsignedLong(items[11]!, "timestamp"),
    extraData: items[12]!.bytes,
    paidFees: bytesToBigint(items[13]!.bytes),
    minimumGasPrice: signedOrNull(items[14]!.bytes),
    uncleCount: uncleCount(items[15]!),
    ummRoot: null,
    version: 0,
    executionEdges: null,
    baseEvent: null,
    parentChainHeader: null,
    merkleProof: null,
    parentChainCoinbase: null,
  };
}

/** Parses fields after 15: steps 10 to 14. */
function parseTail(items: readonly RlpItem[], fields: HeaderFields, rules: Rules, form: string): void {
  let at = 16;
  if (rules.rskipUmm) fields.ummRoot = items[at++]!.bytes;
  if (rules.rskip351) fields.version = readVersion(form === "compressed" ? versionInExtension(fields) : items[at++]!);
  if (form === "full") {
    if (hasExecutionLists(rules) && at < items.length) fields.executionEdges = edgesFromBytes(items[at++]!.bytes);
    if (rules.rskip351 && rules.rskip535) {
      const remaining = items.length - at;
      fields.baseEvent = remaining === 0 || remaining === 3 ? EMPTY_BYTES : items[at++]!.bytes;
    }
  }
  if (at >= items.length) return;
  fields.parentChainHeader = bytesOrNull(items[at++]!);
  if (fields.number !== 0 && rules.rskip98 && fields.parentChainHeader?.length !== 80) {
    throw wrong("parentChainHeader", `${fields.parentChainHeader?.length ?? 0} bytes instead of 80`);
  }
  fields.merkleProof = items[at++]!.bytes;
  fields.parentChainCoinbase = bytesOrNull(items[at]!);
}

function versionInExtension(fields: HeaderFields): RlpItem {
  const item = decodeRlpList(fields.logsBloom)[0];
  if (item === undefined) throw wrong("version", "no item in the extension data");
  return item;
}

/** Reads the version. Unknown ones count as 0; no rule compares the version with the height (`spec/01 §7`, 7). */
function readVersion(item: RlpItem): 0 | 1 | 2 {
  const version = item.bytes[0];
  if (version === undefined) throw wrong("version", "empty");
  return version === 1 || version === 2 ? version : 0;
}

/** Returns the header of block 0, which has its own format: `spec/01 §2.7`. */
function genesis(fields: HeaderFields, difficultyBytes: Uint8Array, options: HeaderOptions): ParsedHeader {
  return {
    fields: {
      ...fields,
      transactionsRoot: EMPTY_TRIE_ROOT,
      receiptsRoot: EMPTY_TRIE_ROOT,
      gasLimit: stripLeadingZeros(fields.gasLimit),
      paidFees: 0n,
      uncleCount: 0,
      ummRoot: null,
      version: 0,
      executionEdges: null,
      baseEvent: null,
    },
    options: { ...options, forkDetection: false, difficultyBytes },
  };
}

function wrong(field: keyof HeaderFields, reason: string): TypesError {
  return new TypesError({ code: "HEADER_FIELD", field, reason });
}

function bytesOrNull(item: RlpItem): Uint8Array | null {
  return item.bytes.length === 0 ? null : item.bytes;
}

function root(item: RlpItem): Uint8Array {
  return item.bytes.length === 0 ? EMPTY_TRIE_ROOT : item.bytes;
}

function difficulty(bytes: Uint8Array): bigint | null {
  const value = signedOrNull(bytes);
  if (value !== null && value < 0n) throw wrong("difficulty", "negative");
  return value;
}

function signedOrNull(bytes: Uint8Array): bigint | null {
  return bytes.length === 0 ? null : twosComplementToBigint(bytes);
}

/** Reads an unsigned number of at most 2^63 - 1; leading zeros are accepted. */
function unsignedLong(item: RlpItem, field: keyof HeaderFields): bigint {
  const bytes = stripLeadingZeros(item.bytes);
  const value = bytes.length > 8 ? undefined : bytesToBigint(bytes);
  if (value === undefined || value > MAX_INT64) throw wrong(field, "2^63 or more");
  return value;
}

function countOf(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? OUT_OF_RANGE : Number(value);
}

function uncleCount(item: RlpItem): number {
  const bytes = stripLeadingZeros(item.bytes);
  if (bytes.length > 4 || (bytes.length === 4 && bytes[0]! > 0x7f)) throw wrong("uncleCount", "too large");
  return bytesToNumber(bytes);
}
