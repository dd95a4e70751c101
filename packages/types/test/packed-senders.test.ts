import assert from "node:assert/strict";
import { keccak256, utf8 } from "@cambium/primitives";
import {
  applySenders,
  areSendersComplete,
  packKnownSenders,
  packSenders,
  rewardTransaction,
  signTransaction,
  Transaction,
} from "../src/index.js";

/** Two transfers of different senders and the reward transaction, freshly decoded. */
function decoded(): Transaction[] {
  const request = { nonce: 0n, gasPrice: 1n, gasLimit: 21_000n, to: new Uint8Array(20), value: 1n };
  const signed = ["cow", "cow1"].map((name) => signTransaction(request, keccak256(utf8(name))));
  return [...signed, rewardTransaction(1)].map(({ encoded }, index) => Transaction.decode(encoded, index === 2));
}

describe("packed senders", () => {
  it("set the senders that were known, and recover none", () => {
    const known = decoded();
    void known[1]!.sender;
    const packed = packKnownSenders(known);
    assert.deepEqual(
      known.map(({ hasSender }) => hasSender),
      [false, true, true],
    );
    const transactions = decoded();
    applySenders(transactions, packed);
    assert.deepEqual(
      transactions.map(({ hasSender }) => hasSender),
      [false, true, true],
    );
    assert.deepEqual(
      transactions.map(({ sender }) => sender),
      decoded().map(({ sender }) => sender),
    );
  });

  it("are complete without the sender of the reward transaction", () => {
    const senders = decoded().map(({ sender }) => sender);
    assert.equal(areSendersComplete(packSenders(senders)), true);
    assert.equal(areSendersComplete(packSenders([senders[0], undefined, undefined])), false);
    assert.equal(areSendersComplete(packSenders([undefined])), true);
  });

  it("of another number of transactions are ignored", () => {
    const senders = decoded().map(({ sender }) => sender);
    const transactions = decoded();
    for (const wrong of [[], senders.slice(0, 2), [...senders, senders[0]]]) {
      applySenders(transactions, packSenders(wrong));
    }
    assert.equal(transactions[0]!.hasSender, false);
  });
});
