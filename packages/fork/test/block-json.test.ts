import assert from "node:assert/strict";
import { local, main, type NetworkConfig, rulesAt } from "@cambium/config";
import { bigintToBytes, toData, toQuantity } from "@cambium/primitives";
import { recordedBlocks } from "@cambium/test-utils/chains/chain-vectors";
import { fc } from "@cambium/test-utils/properties";
import { Block, BlockHeader, type HeaderFields, type Transaction } from "@cambium/types";
import { headerOf, type Json, MalformedAnswer, quantityOf, receiptOf, transactionOf } from "../src/block-json.js";

/** Block object of `spec/09 §6.1`, with the names of the deployed client. */
function blockObject(header: BlockHeader, uncles: number): Json {
  const optional = (bytes: Uint8Array | null) => (bytes === null ? null : toData(bytes));
  return {
    number: toQuantity(header.number),
    hash: toData(header.hash),
    parentHash: toData(header.parentHash),
    sha3Uncles: toData(header.unclesHash),
    logsBloom: toData(header.logsBloom),
    transactionsRoot: toData(header.transactionsRoot),
    stateRoot: toData(header.stateRoot),
    receiptsRoot: toData(header.receiptsRoot),
    miner: toData(header.coinbase),
    difficulty: toQuantity(header.difficultyValue),
    extraData: toData(header.extraData),
    gasLimit: toQuantity(header.gasLimitValue),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: toQuantity(header.timestamp),
    minimumGasPrice: String(header.minimumGasPriceValue),
    uncles: Array.from({ length: uncles }, () => toData(header.hash)),
    bitcoinMergedMiningHeader: optional(header.parentChainHeader),
    bitcoinMergedMiningCoinbaseTransaction: optional(header.parentChainCoinbase),
    bitcoinMergedMiningMerkleProof: optional(header.merkleProof),
    paidFees: toQuantity(header.paidFees),
    rskPteEdges: header.executionEdges,
    baseEvent: header.baseEvent === null || header.baseEvent.length === 0 ? null : toData(header.baseEvent),
  };
}

/** Transaction object of `spec/09 §6.2`. */
function transactionObject(transaction: Transaction, number: number): Json {
  return {
    hash: toData(transaction.hash),
    nonce: toQuantity(transaction.nonce),
    blockNumber: toQuantity(number),
    to: transaction.isCreation ? null : toData(transaction.to),
    gas: toQuantity(transaction.gasLimit),
    gasPrice: toQuantity(transaction.gasPrice),
    value: toQuantity(transaction.value),
    input: toData(transaction.data),
    v: toQuantity(transaction.v ?? 0),
    r: toQuantity(transaction.r),
    s: toQuantity(transaction.s),
  };
}

/** Heights on mainnet in all eras of its headers. */
const HEIGHTS = [1, 448, 449, 729_000, 1_591_000, 2_392_700, 3_614_800, 6_223_700, 7_338_024, 8_052_200, 9_000_000];
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

const headers = fc.record({
  height: fc.constantFrom(...HEIGHTS),
  hash: bytes(32),
  gasLimit: fc.bigInt(1n, 2n ** 40n),
  seed: bytes(80),
});

function fieldsAt({
  height: number,
  hash,
  gasLimit,
  seed,
}: {
  height: number;
  hash: Uint8Array;
  gasLimit: bigint;
  seed: Uint8Array;
}) {
  const rules = rulesAt(main, number);
  const fields: HeaderFields = {
    parentHash: hash,
    unclesHash: hash,
    coinbase: hash.slice(0, 20),
    stateRoot: hash,
    transactionsRoot: hash,
    receiptsRoot: hash,
    logsBloom: new Uint8Array(256).fill(hash[0]!),
    difficulty: gasLimit * 1000n,
    number,
    gasLimit: bigintToBytes(gasLimit),
    gasUsed: hash[1]! * 1000,
    timestamp: 1_700_000_000n,
    extraData: hash.slice(0, hash[2]! % 32),
    paidFees: gasLimit * 7n,
    minimumGasPrice: BigInt(hash[3]!),
    uncleCount: hash[4]! % 3,
    ummRoot: rules.rskipUmm ? new Uint8Array(0) : null,
    version: !rules.rskip351 ? 0 : rules.rskip535 ? 2 : 1,
    executionEdges: rules.rskip144 && rules.rskip351 ? [hash[5]!] : null,
    baseEvent: rules.rskip351 && rules.rskip535 ? hash.slice(0, 5) : null,
    parentChainHeader: seed,
    merkleProof: hash,
    parentChainCoinbase: seed,
  };
  return fields;
}

describe("blocks of a forked chain from JSON", () => {
  const recorded = (network: NetworkConfig, name: string) =>
    recordedBlocks(name).map((one) => Block.decode(one, network));

  for (const name of ["rewards", "parallel", "uncles-and-reorgs", "contracts"]) {
    it(`rebuilds the headers and transactions of the recorded chain ${name}`, () => {
      for (const block of recorded(local, name)) {
        const header = headerOf(blockObject(block.header, block.uncles.length), local);
        assert.deepEqual(header.encode("full"), block.header.encode("full"));
        for (const [index, transaction] of block.transactions.entries()) {
          const isLast = index === block.transactions.length - 1;
          const rebuilt = transactionOf(transactionObject(transaction, block.number), isLast);
          assert.deepEqual(rebuilt.encoded, transaction.encoded);
          assert.equal(rebuilt.isReward, transaction.isReward);
        }
      }
    });
  }

  it("rebuilds headers of main at any height", () => {
    fc.assert(
      fc.property(headers, (chosen) => {
        const fields = fieldsAt(chosen);
        const header = BlockHeader.create(fields, main);
        const rebuilt = headerOf(blockObject(header, fields.uncleCount), main);
        assert.deepEqual(rebuilt.hash, header.hash);
        assert.deepEqual(rebuilt.encode("full"), header.encode("full"));
      }),
    );
  });

  it("rejects what has another hash, and members of other types", () => {
    const [block] = recorded(local, "rewards");
    const object = blockObject(block!.header, 0);
    const changes = {
      gasUsed: "0x5",
      miner: `0x${"00".repeat(20)}`,
      stateRoot: "0x",
      timestamp: null,
      uncles: "0x",
      number: "x",
    };
    for (const [member, value] of Object.entries(changes)) {
      assert.throws(() => headerOf({ ...object, [member]: value }, local), MalformedAnswer, member);
    }
    const [transaction] = block!.transactions;
    const ofTransaction = transactionObject(transaction!, block!.number);
    assert.throws(() => transactionOf({ ...ofTransaction, nonce: "0x77", to: null }, true), MalformedAnswer);
    assert.throws(() => receiptOf({ status: "0x1" }), MalformedAnswer);
    for (const value of ["", "0x", "-1", 1.5, -1, {}, "0xg", `0x${"1".repeat(90)}`]) {
      assert.throws(() => quantityOf(value), MalformedAnswer, String(value));
    }
  });
});
