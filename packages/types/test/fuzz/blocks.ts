import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { assertSameBytes, attempt, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import {
  Block,
  BlockHeader,
  bloomOfLogs,
  checkRawBody,
  decodeReceipt,
  encodeReceipt,
  rewardTransaction,
  Transaction,
  TypesError,
  transactionsRoot,
} from "../../src/index.js";
import { FIRST_TRANSACTION, headerBytes, withV } from "../samples.js";

const { main } = NETWORKS;
const NUMBER = 8_000_000;

function blocks(): Uint8Array[] {
  const body = [Transaction.decode(FIRST_TRANSACTION), rewardTransaction(NUMBER)];
  const root = transactionsRoot(body, rulesAt(main, NUMBER));
  const header = BlockHeader.decode(headerBytes(NUMBER, "80 H P C"), main).with({ transactionsRoot: root });
  return [new Block(header, body, []), new Block(header, body, [header])].map((block) => block.encode());
}

const LOG = { address: new Uint8Array(20), topics: [new Uint8Array(32)], data: Uint8Array.of(1, 2, 3) };

/** Reads all lazily computed values. */
function readAll(transaction: Transaction): void {
  assert.equal(transaction.signingHash.length, 32);
  assert.equal(transaction.hash.length, 32);
  void [transaction.sender, transaction.createdAddress, transaction.r, transaction.s, transaction.v];
  transaction.acceptSignature(30);
  attempt(() => transaction.verifyFields(), [TypesError]);
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  transaction: decoding({
    seeds: () => [FIRST_TRANSACTION, withV("60"), rewardTransaction(77).encoded],
    decode: (input) => Transaction.decode(input, input.length % 2 === 0),
    refusals: [TypesError],
    check(transaction) {
      readAll(transaction);
      // An r or s of zeros is encoded as no bytes, which do not decode. No key can be recovered from it.
      if (transaction.isSigned && (transaction.r === 0n || transaction.s === 0n)) {
        assert.equal(transaction.sender, undefined);
        return;
      }
      const again = Transaction.decode(transaction.encoded);
      // Foreign v bytes below 35 change with every encoding (`spec/01 §3.2`).
      if (transaction.chainId >= 0) assertSameBytes(again.hash, transaction.hash);
    },
  }),
  block: decoding({
    seeds: blocks,
    decode: (input) => Block.decode(input, main),
    refusals: [TypesError],
    check(block) {
      block.transactions.forEach(readAll);
      void [block.hash, block.unclesHash, block.cumulativeDifficulty];
      assertSameBytes(Block.decode(block.encode(), main).encode(), block.encode());
    },
  }),
  "raw-body": decoding({
    seeds: blocks,
    decode: (input) => checkRawBody(input, Block.decode(blocks()[0]!, main).header, main),
    refusals: [TypesError],
  }),
  receipt: decoding({
    seeds: () =>
      [[], [LOG]].map((logs) =>
        encodeReceipt({ status: 1, gasUsed: 21000, cumulativeGas: 42000, logs, logsBloom: bloomOfLogs(logs) }),
      ),
    decode: decodeReceipt,
    refusals: [TypesError],
    check: (receipt, input) => assertSameBytes(encodeReceipt(receipt), input),
  }),
};
