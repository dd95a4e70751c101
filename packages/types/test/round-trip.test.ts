import assert from "node:assert/strict";
import { NETWORKS, type NetworkConfig, rulesAt } from "@cambium/config";
import { bigintToBytes, EMPTY_TRIE_ROOT, toHex } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import {
  Block,
  BlockHeader,
  bloomOfLogs,
  decodeExtension,
  decodeReceipt,
  encodeReceipt,
  type HeaderFields,
  type Receipt,
  rewardTransaction,
  Transaction,
  transactionsRoot,
} from "../src/index.js";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const upTo = (length: number) => fc.uint8Array({ maxLength: length });
/** Creates plain objects, which compare equal to decoded ones. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}
const natural = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const coin = fc.bigInt({ min: 0n, max: 2n ** 255n - 1n });

/** Heights of every header format. The height that the test network tolerates re-encodes with its base event. */
const eras: readonly (readonly [NetworkConfig, number])[] = [
  [NETWORKS.main, 1],
  [NETWORKS.main, 729000],
  [NETWORKS.main, 2392700],
  [NETWORKS.test, 7139600],
  [NETWORKS.test, 7604200],
  [NETWORKS.test, 7800000],
  [NETWORKS.local, 1],
];

/** Fields of a header built at a height. */
function fieldsAt(network: NetworkConfig, number: number): fc.Arbitrary<HeaderFields> {
  const rules = rulesAt(network, number);
  const version = !rules.rskip351 ? 0 : rules.rskip535 ? 2 : 1;
  const mined = {
    parentChainHeader: bytes(80),
    merkleProof: upTo(100),
    parentChainCoinbase: fc.uint8Array({ minLength: 1, maxLength: 100 }),
  };
  const unmined = {
    parentChainHeader: fc.constant(null),
    merkleProof: fc.constant(null),
    parentChainCoinbase: fc.constant(null),
  };
  const base = {
    parentHash: bytes(32),
    unclesHash: bytes(32),
    coinbase: bytes(20),
    stateRoot: bytes(32),
    transactionsRoot: bytes(32),
    receiptsRoot: bytes(32),
    logsBloom: bytes(256),
    difficulty: fc.option(coin),
    number: fc.constant(number),
    gasLimit: upTo(10),
    gasUsed: natural,
    timestamp: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    extraData: upTo(40),
    paidFees: coin,
    minimumGasPrice: fc.option(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n })),
    uncleCount: fc.nat(),
    ummRoot: rules.rskipUmm ? fc.oneof(bytes(0), bytes(20)) : fc.constant(null),
    version: fc.constant(version as 0 | 1 | 2),
    executionEdges:
      version === 0 ? fc.constant(null) : fc.array(fc.integer({ min: -32768, max: 32767 }), { maxLength: 4 }),
    baseEvent: version === 2 ? upTo(128) : fc.constant(null),
  };
  return fc.oneof(record({ ...base, ...mined }), record({ ...base, ...unmined })) as fc.Arbitrary<HeaderFields>;
}

const transaction: fc.Arbitrary<Transaction> = record({
  nonce: upTo(6).filter((nonce) => !(nonce.length === 1 && nonce[0] === 0)),
  gasPrice: fc.option(coin),
  gasLimit: upTo(9),
  to: fc.oneof(bytes(0), bytes(20)),
  value: coin,
  data: upTo(300),
  signature: fc.option(
    record({
      chainId: fc.integer({ min: 1, max: 109 }),
      recovery: fc.constantFrom<0 | 1>(0, 1),
      r: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }).map(bigintToBytes),
      s: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }).map(bigintToBytes),
    }),
  ),
}).map((fields) => new Transaction({ ...fields, unsignedChainId: 0, isReward: false }));

const receipt: fc.Arbitrary<Receipt> = record({
  status: fc.constantFrom<0 | 1>(0, 1),
  cumulativeGas: natural,
  gasUsed: natural,
  logs: fc.array(record({ address: bytes(20), topics: fc.array(bytes(32), { maxLength: 4 }), data: upTo(80) }), {
    maxLength: 4,
  }),
}).map((parts) => ({ ...parts, logsBloom: bloomOfLogs(parts.logs) }));

describe("round trips", () => {
  for (const [network, number] of eras) {
    it(`header of ${network.name} ${number}`, () => {
      fc.assert(
        fc.property(fieldsAt(network, number), (fields) => {
          const header = BlockHeader.create(fields, network);
          const encoded = header.encode("full");
          const decoded = BlockHeader.decode(encoded, network);
          assert.deepEqual(decoded.fields(), fields);
          assert.equal(toHex(decoded.encode("full")), toHex(encoded));
          assert.equal(toHex(decoded.hash), toHex(header.hash));
          const compressed = BlockHeader.decode(header.encode("compressed"), network, "compressed");
          assert.equal(toHex(compressed.hash), toHex(header.hash));
          assert.equal(toHex(compressed.encode("compressed")), toHex(header.encode("compressed")));
          if (header.version === 0) return;
          const complete = compressed.withExtension(decodeExtension(header.encodeExtension()));
          assert.deepEqual(complete.fields(), fields);
        }),
        { numRuns: runs(60) },
      );
    });
  }

  it("transaction", () => {
    fc.assert(
      fc.property(transaction, (built) => {
        const decoded = Transaction.decode(built.encoded);
        assert.equal(toHex(decoded.encoded), toHex(built.encoded));
        assert.deepEqual(decoded, Transaction.decode(decoded.encoded));
        assert.equal(toHex(decoded.signingHash), toHex(built.signingHash));
      }),
      { numRuns: runs(300) },
    );
  });

  it("receipt", () => {
    fc.assert(
      fc.property(receipt, (built) => assert.deepEqual(decodeReceipt(encodeReceipt(built)), built)),
      { numRuns: runs(200) },
    );
  });

  it("block", () => {
    const parts = eras.map(([network, number]) =>
      record({
        network: fc.constant(network),
        fields: fieldsAt(network, number),
        transactions: fc.array(transaction, { maxLength: 5 }),
        uncles: fc.array(fieldsAt(network, number), { maxLength: 2 }),
      }),
    );
    fc.assert(
      fc.property(fc.oneof(...parts), ({ network, fields, transactions, uncles }) => {
        const body = [...transactions, rewardTransaction(fields.number)];
        const root = transactionsRoot(body, rulesAt(network, fields.number));
        const header = BlockHeader.create({ ...fields, transactionsRoot: root }, network);
        const block = new Block(
          header,
          body,
          uncles.map((uncle) => BlockHeader.create(uncle, network)),
        );
        const decoded = Block.decode(block.encode(), network);
        assert.equal(toHex(decoded.encode()), toHex(block.encode()));
        assert.equal(toHex(decoded.unclesHash), toHex(block.unclesHash));
        assert.equal(decoded.transactions.at(-1)!.isReward, true);
        assert.notEqual(toHex(root), toHex(EMPTY_TRIE_ROOT));
      }),
      { numRuns: runs(100) },
    );
  });
});
