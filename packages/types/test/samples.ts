import { decodeRlpItem, encodeRlp, fromHex, RawRlp, type RlpInput } from "@cambium/primitives";
import { BlockHeader, type HeaderFields } from "../src/index.js";

/** `length` bytes with byte i = (first + 7i) mod 256, the pattern of the vectors in `spec/01 §2.8`. */
export function pattern(first: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (first + 7 * i) & 0xff);
}

export const MM_HEADER = pattern(7, 80);

/** Header T of `spec/01 §2.8` in the given version. */
export function headerT(version: 0 | 1 | 2, changes: Partial<HeaderFields> = {}): BlockHeader {
  const bloom = new Uint8Array(256);
  bloom.set([1, 2, 3, 4]);
  const fields: HeaderFields = {
    parentHash: pattern(1, 32),
    unclesHash: pattern(2, 32),
    coinbase: pattern(9, 20),
    stateRoot: pattern(4, 32),
    transactionsRoot: pattern(5, 32),
    receiptsRoot: pattern(6, 32),
    logsBloom: bloom,
    difficulty: 0xff00ffn,
    number: 7200000,
    gasLimit: fromHex("67c280"),
    gasUsed: 21000,
    timestamp: 1700000000n,
    extraData: fromHex("c0ffee"),
    paidFees: 1234567890n,
    minimumGasPrice: 255n,
    uncleCount: 2,
    ummRoot: new Uint8Array(0),
    version,
    executionEdges: version === 0 ? null : [1, 2, 300],
    baseEvent: version === 2 ? fromHex("aabb") : null,
    parentChainHeader: MM_HEADER,
    merkleProof: pattern(8, 64),
    parentChainCoinbase: pattern(11, 100),
    ...changes,
  };
  return new BlockHeader(fields, { shortHash: true, forkDetection: false });
}

/** Header T with all optional fields empty (`spec/01 §2.8`). */
export function emptyT(version: 0 | 2, changes: Partial<HeaderFields> = {}): BlockHeader {
  return headerT(version, {
    number: 8,
    difficulty: 1n,
    gasUsed: 0,
    extraData: new Uint8Array(0),
    paidFees: 0n,
    minimumGasPrice: 0n,
    uncleCount: 0,
    logsBloom: new Uint8Array(256),
    executionEdges: version === 2 ? [] : null,
    baseEvent: version === 2 ? new Uint8Array(0) : null,
    ...changes,
  });
}

/** Items H, P and C of the decoding cases: merged-mining header, proof and coinbase. */
export const MINING_ITEMS = {
  H: encodeRlp(MM_HEADER),
  P: encodeRlp(pattern(8, 32)),
  C: encodeRlp(pattern(3, 64)),
};

/** Base list D of the decoding cases as encoded items. */
export function baseItems(number: number): Uint8Array[] {
  const strings = [1, 2].map((first) => pattern(first, 32));
  const roots = [4, 5, 6].map((first) => pattern(first, 32));
  const encoded = [...strings, pattern(9, 20), ...roots, new Uint8Array(256)].map((bytes) => encodeRlp(bytes));
  const numberItem = encodeRlp(fromHex(number.toString(16).padStart(6, "0")));
  const rest = ["02", "", "8367c280", "80", "846553f100", "80", "80", "00", "80"].map(fromHex);
  rest[1] = numberItem;
  return [...encoded, ...rest];
}

/** Returns D with base items replaced (hex by index), followed by extra items given as hex or `H`, `P`, `C`. */
export function headerBytes(
  number: number,
  extra: string,
  replaced: Readonly<Record<number, string>> = {},
): Uint8Array {
  const items = baseItems(number).map((item, i) => (replaced[i] === undefined ? item : fromHex(replaced[i])));
  for (const word of extra.split(" ").filter(Boolean)) {
    items.push(word in MINING_ITEMS ? MINING_ITEMS[word as "H" | "P" | "C"] : fromHex(word));
  }
  return listOf(items);
}

/** An RLP list of encoded items, which may be non-canonical. */
export function listOf(items: readonly Uint8Array[]): Uint8Array {
  return encodeRlp(items.map((item) => new RawRlp(item)) as RlpInput);
}

/** Encoded items of an encoded list. */
export function itemsOf(list: Uint8Array): Uint8Array[] {
  return decodeRlpItem(list).items.map((item) => item.raw);
}

export const FIRST_TRANSACTION = fromHex(
  "f86b8085e8d4a510008227109413978aee95f38490e9769c39b2773ed763d9cd5f872386f26fc10000801ba0eab47c1a49bf2fe5d40e01d313900e19ca485867d462fe06e139e3a536c6d4f4a014a569d327dcda4b29f74f93c0e9729d2f49ad726e703f9cd90dbb0fbf6649f1",
);

/** The first transaction with its v byte replaced. */
export function withV(v: string): Uint8Array {
  const items = itemsOf(FIRST_TRANSACTION);
  items[6] = fromHex(v);
  return listOf(items);
}
