import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toQuantity } from "@cambium/primitives";
import { startNode } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { Transaction } from "ethers";
import { type Hex, keccak256, recoverTransactionAddress, serializeTransaction } from "viem";
import { TransactionFactory } from "web3-eth-accounts";
import { type Dev, startDev } from "./dev-process.js";

type Json = Record<string, string>;

/** Hash and sender of a transaction from its JSON, as each library computes them. */
const LIBRARIES: Record<
  string,
  (shown: Json) => { hash: string; from: string } | Promise<{ hash: string; from: string }>
> = {
  ethers(shown) {
    const { hash, from } = Transaction.from({ ...legacy(shown), signature: signature(shown) });
    return { hash: hash!, from: from! };
  },
  async viem(shown) {
    const { v, r, s } = signature(shown);
    const fields = { ...legacy(shown), gas: BigInt(shown.gas!), type: "legacy" as const };
    const serializedTransaction = serializeTransaction(fields as never, { v: BigInt(v), r: r as Hex, s: s as Hex });
    const from = await recoverTransactionAddress({ serializedTransaction: serializedTransaction as never });
    return { hash: keccak256(serializedTransaction), from };
  },
  web3(shown) {
    const transaction = TransactionFactory.fromTxData({ ...legacy(shown), ...signature(shown) } as never);
    const hash = `0x${Buffer.from(transaction.hash()).toString("hex")}`;
    return { hash, from: transaction.getSenderAddress().toString() };
  },
};

function legacy({ nonce, gasPrice, gas, to, value, input }: Json) {
  const fields = {
    type: 0,
    nonce: Number(nonce),
    gasPrice: BigInt(gasPrice!),
    gasLimit: BigInt(gas!),
    value: BigInt(value!),
  };
  return { ...fields, to: to ?? undefined, data: input, chainId: 33 };
}

function signature({ v, r, s }: Json) {
  const word = (text: string) => `0x${text.slice(2).padStart(64, "0")}`;
  return { v: Number(v), r: word(r!), s: word(s!) };
}

/**
 * Tests that the node's transactions have the hash and the sender that libraries compute, even with zeros in any field.
 */
describe("transactions that the node signs", () => {
  let dev: Dev;
  const shown: Json[] = [];

  before(async () => {
    dev = await startDev();
    const { rpc } = dev;
    const [from, to] = await rpc.call("eth_accounts");
    const requests: object[] = [
      { from, to },
      { from, to, value: "0x0", gasPrice: "0x0" },
      { from, to, value: "0x1", gasPrice: "0x7", data: "0x00" },
      { from, data: "0x00", value: "0x0" },
    ];
    for (const request of requests) {
      const hash = await rpc.call("eth_sendTransaction", { gas: "0x186a0", ...request });
      shown.push(await rpc.call("eth_getTransactionByHash", hash));
    }
    const { raw, tx } = await rpc.call("eth_signTransaction", { from, to, gas: "0x5208" });
    assert.equal(Transaction.from(raw).hash, tx.hash);
    shown.push(tx);
  });
  after(() => dev.stop());

  for (const [name, compute] of Object.entries(LIBRARIES)) {
    it(`have the hash and sender that ${name} computes`, async () => {
      for (const one of shown) {
        const { hash, from } = await compute(one);
        assert.deepEqual({ hash, from: from.toLowerCase() }, { hash: one.hash, from: one.from }, JSON.stringify(one));
      }
    });
  }
});

/** Tests scripts that send any number of transactions. */
describe("many transactions of one account", () => {
  const send = async ({ rpc }: { rpc: RpcClient }, count: number) => {
    const [from, to] = await rpc.call("eth_accounts");
    for (let i = 0; i < count; i++) await rpc.call("eth_sendTransaction", { from, to, gas: "0x5208" });
  };

  it("are all taken by dev, and fill one block", async () => {
    const dev = await startDev("--block-time", "3600", "--gas-limit", "100000000");
    try {
      await send(dev, 1_000);
      await dev.rpc.call("evm_mine");
      assert.equal(await dev.rpc.call("eth_getBlockTransactionCountByNumber", "latest"), toQuantity(1_000));
    } finally {
      await dev.stop();
    }
  });

  it("are taken as far as the operator says, and the answer names the limit", async () => {
    const data = mkdtempSync(join(tmpdir(), "cambium-slots-"));
    const flags = [
      "--network",
      "local",
      "--data-dir",
      data,
      "--mine.interval",
      "3600000",
      "--txpool.account-slots",
      "2",
    ];
    const node = await startNode(...flags);
    try {
      await assert.rejects(send({ rpc: new RpcClient(node.url) }, 3), {
        message: /^transaction nonce too high: the pool takes 2 transactions of an account .*--txpool\.account-slots/,
      });
    } finally {
      await node.stop();
      rmSync(data, { recursive: true });
    }
  });
});
