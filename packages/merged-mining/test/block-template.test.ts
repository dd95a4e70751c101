import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { NETWORKS } from "@cambium/config";
import { concatBytes, fromHex, reverseBytes, toHex } from "@cambium/primitives";
import {
  type BlockTemplate,
  coinbaseParts,
  compactProof,
  compressCoinbase,
  encodeTemplateBlock,
  joinCoinbase,
  MergedMiningError,
  parentHeaderWork,
  proofOfWorkTarget,
  splitParentBlock,
  stripWitness,
  TAG_PLACES,
  taggedHash,
  templateBlock,
  transactionId,
  verifyProofOfWork,
} from "../src/index.js";

const HASH = new Uint8Array(32).fill(0x5a);
const PAYOUT_SCRIPT = fromHex(`0014${"11".repeat(20)}`);
const COMMITMENT = `6a24aa21a9ed${"22".repeat(32)}`;

/** A transaction with one input and one output, without witness. */
function transaction(index: number): Uint8Array {
  const input = concatBytes(new Uint8Array(32).fill(index + 1), new Uint8Array(4), Uint8Array.of(0), new Uint8Array(4));
  const output = concatBytes(new Uint8Array(8), Uint8Array.of(1, 0x51));
  return concatBytes(fromHex("0100000001"), input, Uint8Array.of(1), output, new Uint8Array(4));
}

function template(changes: Partial<BlockTemplate> = {}, transactions = 3): BlockTemplate {
  const others = Array.from({ length: transactions }, (_, i) => transaction(i));
  return {
    version: 0x20000000,
    height: 800_000,
    previousblockhash: "77".padStart(64, "0"),
    curtime: 1_700_000_000,
    bits: "207fffff",
    target: "7f".padEnd(64, "f"),
    coinbasevalue: 625_000_123,
    transactions: others.map((data) => ({ data: toHex(data), txid: toHex(reverseBytes(transactionId(data))) })),
    default_witness_commitment: COMMITMENT,
    ...changes,
  };
}

function scriptOf(height: number): string {
  const { before } = coinbaseParts(template({ height }), { hashForMergedMining: HASH, payoutScript: PAYOUT_SCRIPT });
  return toHex(before.subarray(42, before.length - 1));
}

describe("a block from the parent node's template", () => {
  for (const tagPlace of TAG_PLACES) {
    it(`proves the work of this chain with the tag in the ${tagPlace}`, () => {
      for (const transactions of [0, 1, 5]) {
        const source = template({}, transactions);
        const parts = coinbaseParts(source, { hashForMergedMining: HASH, payoutScript: PAYOUT_SCRIPT, tagPlace });
        const coinbase = joinCoinbase(parts, randomBytes(parts.extraNonceBytes));
        assert.deepEqual(taggedHash(coinbase), HASH);
        const { header, siblings } = templateBlock(source, coinbase);
        for (let nonce = 0; parentHeaderWork(header) > proofOfWorkTarget(1n); nonce++) {
          new DataView(header.buffer).setUint32(76, nonce, true);
        }
        const input = {
          number: 1,
          difficulty: 1n,
          hashForMergedMining: HASH,
          parentChainHeader: header,
          merkleProof: compactProof(siblings),
          parentChainCoinbase: compressCoinbase(coinbase),
        };
        verifyProofOfWork(input, { rskip92: true, rskip98: true, rskip180: true }, NETWORKS.local);
      }
    });
  }

  it("has a coinbase with witness and the other transactions as they are", () => {
    const source = template();
    const parts = coinbaseParts(source, { hashForMergedMining: HASH, payoutScript: PAYOUT_SCRIPT });
    const coinbase = joinCoinbase(parts, new Uint8Array(parts.extraNonceBytes));
    const block = templateBlock(source, coinbase);
    const { header, transactions } = splitParentBlock(encodeTemplateBlock(source, block));
    assert.deepEqual(header, block.header);
    assert.equal(toHex(reverseBytes(header.subarray(4, 36))), source.previousblockhash);
    assert.deepEqual(
      transactions.slice(1).map(toHex),
      source.transactions.map(({ data }) => data),
    );
    assert.notDeepEqual(transactions[0], coinbase);
    assert.deepEqual(stripWitness(transactions[0]!), coinbase);
    // Outputs: payout, witness commitment, tag.
    const { after } = parts;
    assert.equal(after[4], 3);
    assert.equal(new DataView(after.buffer, after.byteOffset + 5).getBigUint64(0, true), 625_000_123n);
    assert.ok(toHex(after).includes(COMMITMENT));
  });

  it("has no witness before segregated witness", () => {
    const source = template({ default_witness_commitment: undefined });
    const parts = coinbaseParts(source, { hashForMergedMining: HASH, payoutScript: PAYOUT_SCRIPT });
    const block = templateBlock(source, joinCoinbase(parts, new Uint8Array(8)));
    const { transactions } = splitParentBlock(encodeTemplateBlock(source, block));
    assert.deepEqual(transactions[0], block.transactions[0]);
  });

  it("starts with the height, as BIP-34 writes it", () => {
    assert.equal(scriptOf(0), "00");
    assert.equal(scriptOf(16), "60");
    assert.equal(scriptOf(17), "0111");
    assert.equal(scriptOf(127), "017f");
    assert.equal(scriptOf(128), "028000");
    assert.equal(scriptOf(0x7fff), "02ff7f");
    assert.equal(scriptOf(0x8000), "03008000");
    assert.equal(scriptOf(800_000), "0300350c");
  });

  it("refuses a payout script that is too long behind a tag in the input's script", () => {
    const request = { hashForMergedMining: HASH, payoutScript: new Uint8Array(80).fill(0x51) };
    coinbaseParts(template(), request);
    assert.throws(
      () => coinbaseParts(template(), { ...request, tagPlace: "script" }),
      (error) => error instanceof MergedMiningError && error.code === "TAG_TRAILING_BYTES",
    );
  });
});
