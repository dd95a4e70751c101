import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { encodeRlp, keccak256, RawRlp } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { orderedListRoot } from "@cambium/trie";
import { BlockHeader, type HeaderFields } from "@cambium/types";
import type { BlockBody } from "../../src/index.js";
import { TOTAL_DIFFICULTY_BYTES } from "../../src/shared/limits.js";

// Arbitraries for the parts of messages.

/** Creates ordinary objects, like those of decoders. */
export function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

export const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
export const uint = fc.maxSafeNat();
export const totalDifficulty = fc.bigInt({ min: 1n, max: (1n << BigInt(8 * TOTAL_DIFFICULTY_BYTES)) - 1n });

/** RLP of a list that stands for a transaction, an uncle or any other undecoded list. */
export const rawList: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 70 }), fc.uint8Array({ maxLength: 70 }))
  .map((items) => encodeRlp(items));

/** Networks and heights where headers have each of the versions. */
const HEIGHTS: readonly { network: NetworkConfig; number: number; version: 0 | 1 | 2 }[] = [
  { network: NETWORKS.main, number: 8_000_000, version: 0 },
  { network: NETWORKS.main, number: 1_000_000, version: 0 },
  { network: NETWORKS.test, number: 7_200_000, version: 1 },
  { network: NETWORKS.local, number: 7, version: 2 },
];

export interface HeaderSample {
  network: NetworkConfig;
  header: BlockHeader;
}

function fill(length: number, value: number): Uint8Array {
  return new Uint8Array(length).fill(value);
}

export function sampleHeader(index: number, changes: Partial<HeaderFields> = {}): HeaderSample {
  const { network, number, version } = HEIGHTS[index % HEIGHTS.length]!;
  const fields: HeaderFields = {
    parentHash: fill(32, 1),
    unclesHash: fill(32, 2),
    coinbase: fill(20, 3),
    stateRoot: fill(32, 4),
    transactionsRoot: fill(32, 5),
    receiptsRoot: fill(32, 6),
    logsBloom: fill(256, 7),
    difficulty: 0xff00ffn,
    number,
    gasLimit: Uint8Array.of(0x67, 0xc2, 0x80),
    gasUsed: 21000,
    timestamp: 1_700_000_000n,
    extraData: Uint8Array.of(0xc0),
    paidFees: 12_345n,
    minimumGasPrice: 255n,
    uncleCount: 0,
    ummRoot: number === 1_000_000 ? null : new Uint8Array(0),
    version,
    executionEdges: version === 0 ? null : [1, 2, 300],
    baseEvent: version === 2 ? Uint8Array.of(0xaa) : null,
    parentChainHeader: fill(80, 8),
    merkleProof: fill(64, 9),
    parentChainCoinbase: fill(100, 10),
    ...changes,
  };
  return { network, header: BlockHeader.create(fields, network) };
}

export const headerSample: fc.Arbitrary<HeaderSample> = fc
  .record({
    index: fc.nat(HEIGHTS.length - 1),
    parentHash: hash,
    timestamp: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    extraData: fc.uint8Array({ maxLength: 32 }),
    paidFees: fc.bigInt({ min: 0n, max: 1n << 90n }),
    logsBloom: fc.uint8Array({ minLength: 256, maxLength: 256 }),
  })
  .map(({ index, ...changes }) => sampleHeader(index, changes));

export interface BlockSample extends HeaderSample {
  body: BlockBody;
  encoded: Uint8Array;
}

/** A consistent block whose lists are no transactions and no uncles. */
export const blockSample: fc.Arbitrary<BlockSample> = fc
  .record({
    index: fc.nat(HEIGHTS.length - 1),
    transactions: fc.array(rawList, { maxLength: 6 }),
    uncles: fc.array(rawList, { maxLength: 2 }),
  })
  .map(({ index, transactions, uncles }) => {
    const list = encodeRlp(uncles.map((uncle) => new RawRlp(uncle)));
    const format = index === 1 ? "old" : "new";
    const { network, header } = sampleHeader(index, {
      transactionsRoot: orderedListRoot(transactions, format),
      unclesHash: keccak256(list),
    });
    const extension = header.version === 0 ? undefined : header.encodeExtension();
    return {
      network,
      header,
      body: { hash: header.hash, transactions, uncles: list, extension },
      encoded: encodeRlp([
        new RawRlp(header.encode("full")),
        transactions.map((transaction) => new RawRlp(transaction)),
        new RawRlp(list),
      ]),
    };
  });

/** Returns the header as decoded from the compressed form: without its extension. */
export function compressed({ network, header }: HeaderSample): BlockHeader {
  return BlockHeader.decode(header.encode("compressed"), network, "compressed");
}
