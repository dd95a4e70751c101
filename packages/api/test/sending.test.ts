import assert from "node:assert/strict";
import { toData } from "@cambium/primitives";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { LOOP, SENDER } from "@cambium/test-utils/api/real-chain";
import type { Transaction } from "@cambium/types";
import { Transaction as ParsedTransaction } from "ethers";
import { openOver, type RealApi } from "./support/real-api.js";

const from = toData(SENDER);
const to = `0x${"66".repeat(20)}`;

describe("eth_fillTransaction", () => {
  let service: RealApi;

  before(async () => {
    const pool = new FakePool().api({ pendingNonce: () => 7n, gasPrice: () => 9n });
    service = await openOver({}, { pool });
  });

  const fill = (transaction: object) => service.call("eth_fillTransaction", transaction);

  it("fills in nonce, gas price and gas", async () => {
    const { raw, tx } = await fill({ from, to, value: "0x5" });
    assert.deepEqual(
      [tx.nonce, tx.gasPrice, tx.gas, tx.value, tx.from, tx.to],
      ["0x7", "0x9", "0x5208", "0x5", from, to],
    );
    const { nonce, gasPrice, gasLimit, value, to: receiver } = ParsedTransaction.from(raw);
    assert.deepEqual([nonce, gasPrice, gasLimit, value, receiver], [7, 9n, 21_000n, 5n, to]);
  });

  it("keeps what is given", async () => {
    const given = { nonce: "0x1", gasPrice: "0x2", gas: "0x30000" };
    const { tx } = await fill({ from, to, ...given, data: "0x01", chainId: "0x21", type: "0x0" });
    assert.deepEqual({ nonce: tx.nonce, gasPrice: tx.gasPrice, gas: tx.gas }, given);
    assert.equal(tx.input, "0x01");
  });

  it("refuses other chains and types, and what cannot be executed", async () => {
    await assert.rejects(fill({ from, to, chainId: "0x1e" }), { code: -32602, message: "Invalid chainId: 30" });
    await assert.rejects(fill({ from, to, type: "0x2" }), { code: -32602 });
    await assert.rejects(fill({ from: to, to, value: "0x1" }), { code: -32000 });
    const looping = toData(service.real.deploy(LOOP));
    await service.real.mine();
    await assert.rejects(fill({ from, to: looping }), { code: -32000 });
    await assert.rejects(fill({ from, gas: "x" }), { code: -32602 });
  });
});

describe("eth_sendRawTransactionSync", () => {
  let service: RealApi;
  const listeners = new Set<() => void>();
  const added: Transaction[] = [];

  before(async () => {
    const pool = new FakePool().api({
      add(transaction) {
        added.push(transaction);
        return { kind: "pending", added: [transaction] };
      },
    });
    const on = (listener: never) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    service = await openOver({}, { pool, feed: { on } });
  });

  const send = (transaction: Transaction, ...timeout: unknown[]) => {
    return service.call("eth_sendRawTransactionSync", toData(transaction.encoded), ...timeout);
  };
  const mine = async () => {
    const block = await service.real.mine();
    for (const listener of listeners) listener();
    return block;
  };

  it("resolves to the receipt when the transaction is mined", async () => {
    const transaction = service.real.send();
    const answer = send(transaction);
    const block = await mine();
    const receipt = await answer;
    assert.deepEqual([receipt.transactionHash, receipt.blockHash], [transaction.hash, block.hash].map(toData));
    assert.equal(toData(added[0]!.hash), toData(transaction.hash));
    assert.equal(listeners.size, 0);
    assert.deepEqual(await send(transaction), receipt, "of a transaction that is mined already");
  });

  it("rejects with the hash when the transaction is not mined in time", async () => {
    const transaction = service.real.send();
    await assert.rejects(send(transaction, 1), {
      code: 4,
      message: "The transaction was added to the pool but not mined within 1 ms.",
      data: toData(transaction.hash),
    });
    assert.equal(listeners.size, 0);
    await assert.rejects(send(transaction, "soon"), { code: -32602 });
  });
});
