import assert from "node:assert/strict";
import { KeyStore } from "@cambium/accounts";
import { local, main } from "@cambium/config";
import { encodeRlp, toData, toHex } from "@cambium/primitives";
import { CONTRACT, FakeChain, KEY, RICH } from "@cambium/test-utils/api/fake-chain";
import { FakeLocalMiner } from "@cambium/test-utils/api/fake-miner";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { pooled } from "@cambium/test-utils/api/pooled";
import type { AddResult, TransactionPoolApi } from "@cambium/txpool";
import { signTransaction, type Transaction } from "@cambium/types";
import type { ApiParts } from "../src/api.js";
import type { ApiConfig } from "../src/config.js";
import { apiOver, ask } from "./support/service.js";

const TO = new Uint8Array(20).fill(0x70);

function service(pool: Partial<TransactionPoolApi>, parts: Partial<ApiParts> = {}, chain = new FakeChain()) {
  const own = apiOver(chain, {}, { pool: new FakePool().api(pool), ...parts });
  return (method: string, ...params: unknown[]) => ask(own, method, ...params);
}

/** A pool that returns the same result for every transaction and records them. */
function answering(result: AddResult) {
  const added: Transaction[] = [];
  const add = (transaction: Transaction) => {
    added.push(transaction);
    return result;
  };
  return { added, api: { add } };
}

const PENDING: AddResult = { kind: "pending", added: [] };

describe("pool methods", () => {
  const transfer = pooled({ nonce: 3n, gasPrice: 2_500_000_000n, gasLimit: 90_000n, to: TO, value: 200n });
  const creation = pooled({ nonce: 5n, gasPrice: 0n, data: Uint8Array.of(0x60, 1) }, { isPending: false });
  const api = {
    pending: () => [transfer],
    queued: () => [creation],
    counts: () => ({ pending: 1, queued: 1, bytes: 250 }),
    get: (hash: Uint8Array) => [transfer, creation].find(({ id }) => id === toHex(hash)),
    pendingNonce: () => 4n,
  };
  const sender = toHex(transfer.sender);

  it("return the pool by sender and nonce", async () => {
    const call = service(api);
    const content = await call("txpool_content");
    const shown = content.pending[sender]["3"];
    assert.equal(shown.length, 1);
    const { hash, r, s, v, ...members } = shown[0];
    assert.deepEqual(members, {
      nonce: "0x3",
      blockHash: `0x${"00".repeat(32)}`,
      blockNumber: null,
      blockTimestamp: null,
      transactionIndex: null,
      from: `0x${sender}`,
      to: toData(TO),
      gas: "0x15f90",
      gasPrice: "0x9502f900",
      value: "0xc8",
      input: "0x",
      type: "0x0",
    });
    assert.equal(hash, `0x${transfer.id}`);
    assert(v === "0x65" || v === "0x66");
    assert.match(r + s, /^0x[1-9a-f][0-9a-f]*0x[1-9a-f][0-9a-f]*$/);
    const queued = content.queued[sender]["5"][0];
    assert.deepEqual([queued.to, queued.gasPrice, queued.input], [null, "0x0", "0x6001"]);
    assert.deepEqual(await call("txpool_inspect"), {
      pending: { [sender]: { 3: [`${"70".repeat(20)}: 200 wei + 90000 x 2500000000 gas`] } },
      queued: { [sender]: { 5: [": 0 wei + 21000 x 0 gas"] } },
    });
    assert.deepEqual(await call("txpool_status"), { pending: 1, queued: 1 });
  });

  it("return the transactions of one sender by nonce", async () => {
    const call = service(api);
    const { pending, queued } = await call("txpool_content");
    assert.deepEqual(await call("txpool_contentFrom", `0x${sender}`), {
      pending: { 3: pending[sender]["3"][0] },
      queued: { 5: queued[sender]["5"][0] },
    });
    assert.deepEqual(await call("txpool_contentFrom", toData(RICH)), { pending: {}, queued: {} });
    await assert.rejects(call("txpool_contentFrom", "0x12"), { code: -32602 });
  });

  it("return pending and queued transactions by hash", async () => {
    const call = service(api);
    const shown = await call("eth_getTransactionByHash", `0x${transfer.id}`);
    assert.deepEqual([shown.blockHash, shown.blockNumber, shown.transactionIndex], [null, null, null]);
    assert.equal(shown.value, "0xc8");
    const queued = await call("eth_getTransactionByHash", `0x${creation.id}`);
    assert.deepEqual([queued.nonce, queued.blockHash], ["0x5", null]);
    assert.equal(await call("eth_getTransactionReceipt", `0x${transfer.id}`), null);
    assert.equal(await call("eth_getBlockTransactionCountByNumber", "pending"), "0x1");
    assert.equal(await call("eth_getTransactionCount", toData(RICH), "pending"), "0x4");
  });

  it("read the pending state", async () => {
    const chain = new FakeChain();
    chain.extend();
    const state = chain.reader().stateAfter(chain.blocks[0]!.hash)!;
    const call = service({ pendingState: () => ({ ...state, getBalance: () => 77n }) }, {}, chain);
    assert.equal(await call("eth_getBalance", toData(RICH), "pending"), "0x4d");
    const cell = await call("eth_getStorageAt", `0x${"c0".repeat(20)}`, "0x1", "pending");
    assert.equal(cell, `0x${"0".repeat(60)}162e`);
    assert.equal(await call("eth_getCode", toData(CONTRACT), "pending"), "0x6000");
  });

  it("look up the pending block, except exactly to the API document", async () => {
    const chain = new FakeChain();
    const pending = new FakeChain().extend([[]]);
    const pendingBlock = async () => ({ block: pending, stateChanges: undefined });
    const pendingState = { getCode: async () => Uint8Array.of(0xc0) } as unknown as ApiParts["pendingState"];
    const service = (compatibility: ApiConfig["compatibility"]) => {
      const api = apiOver(chain, { compatibility }, { pendingBlock, pendingState });
      return (method: string, ...params: unknown[]) => ask(api, method, ...params);
    };
    const lookups: [string, ...unknown[]][] = [
      ["eth_getBlockByNumber", "pending"],
      ["eth_getUncleCountByBlockNumber", "pending"],
      ["eth_getUncleByBlockNumberAndIndex", "pending", "0x0"],
      ["eth_getTransactionByBlockNumberAndIndex", "pending", "0x0"],
      ["eth_getCode", toData(CONTRACT), "pending"],
    ];
    const code = lookups.pop()!;
    for (const lookup of lookups) await assert.rejects(service("specification")(...lookup), { code: -32201 });
    // Generated bindings look for code at `pending` before they send.
    for (const mode of ["specification", "development", "deployed"] as const) {
      assert.equal(await service(mode)(...code), "0xc0");
    }
    for (const compatibility of [undefined, "deployed"] as const) {
      const call = service(compatibility);
      const [block, uncles, uncle, transaction] = await Promise.all(lookups.map((lookup) => call(...lookup)));
      assert.deepEqual([block.hash, block.nonce], [null, null]);
      const isDeployed = compatibility === "deployed";
      // go-ethereum's client refuses headers without them.
      const bloom = `0x${"00".repeat(256)}`;
      assert.deepEqual([block.number, block.logsBloom], isDeployed ? [null, null] : ["0x1", bloom]);
      assert.deepEqual([block.parentHash, block.totalDifficulty], [toData(chain.blocks[0]!.hash), "0x14"]);
      assert.equal(block.miner === null, isDeployed);
      assert.deepEqual([uncles, uncle, transaction.hash], ["0x0", null, toData(pending.transactions[0]!.hash)]);
      assert.deepEqual(
        [transaction.blockHash, transaction.blockNumber, transaction.transactionIndex],
        [null, null, null],
      );
      const [whole] = (await call("eth_getBlockByNumber", "pending", true)).transactions;
      assert.deepEqual(whole, transaction);
    }
    const main30 = apiOver(new FakeChain(main), {}, { pendingBlock });
    await assert.rejects(ask(main30, "eth_getBlockByNumber", "pending"), { code: -32201 });
  });

  it("list pending transactions of the node's own accounts", async () => {
    const accounts = new KeyStore({ folder: "/nonexistent" });
    assert.deepEqual(await service(api)("eth_pendingTransactions"), []);
    assert.deepEqual(await service(api, { accounts })("eth_pendingTransactions"), []);
    const own = toHex(accounts.addSeed("cow"));
    const mine = { ...api, pending: () => [transfer, pooled({ nonce: 9n }, { sender: own })] };
    const [shown, ...others] = await service(mine, { accounts })("eth_pendingTransactions");
    assert.deepEqual([shown.nonce, shown.blockHash, others.length], ["0x9", `0x${"00".repeat(32)}`, 0]);
  });
});

describe("eth_sendRawTransaction", () => {
  const request = { nonce: 1n, gasPrice: 5n, gasLimit: 21_000n, to: TO, chainId: 33 };
  const signed = signTransaction(request, KEY);

  it("passes decodable transactions on unchanged", async () => {
    for (const result of [PENDING, { kind: "queued" } as const]) {
      const { added, api } = answering(result);
      assert.equal(await service(api)("eth_sendRawTransaction", toData(signed.encoded)), toData(signed.hash));
      assert.deepEqual(added[0]!.encoded, signed.encoded);
    }
  });

  it("reports the pool's rejections in the pool's wording", async () => {
    const refused = { kind: "refused", code: "NONCE_TOO_LOW", message: "transaction nonce too low" } as const;
    const call = service(answering(refused).api);
    const error = { code: -32010, message: refused.message };
    await assert.rejects(call("eth_sendRawTransaction", toData(signed.encoded)), error);
    const wrong = { kind: "refused", code: "SIGNATURE", message: "Invalid chainId: 30" } as const;
    const answer = service(answering(wrong).api)("eth_sendRawTransaction", toData(signed.encoded));
    await assert.rejects(answer, { code: -32602, message: "Invalid chainId: 30" });
  });

  it("rejects typed transactions", async () => {
    const call = service(answering(PENDING).api);
    for (const [data, type] of Object.entries({ "0x01c0": 1, "0x02c0": 2, "0x7f": 127 })) {
      const message = `transaction type ${type} is not supported on this network; send a legacy transaction`;
      await assert.rejects(call("eth_sendRawTransaction", data), { code: -32602, message });
    }
  });

  it("rejects malformed transactions", async () => {
    const call = service(answering(PENDING).api);
    const malformed = [
      "0x",
      "0x00",
      "0xc0",
      "0xdeadbeef",
      `${toData(signed.encoded)}00`,
      toData(signed.encoded.subarray(0, 60)),
      toData(encodeRlp([1, 2, 3, 4].map((n) => Uint8Array.of(n)))),
    ];
    for (const data of malformed) {
      const isExpected = ({ code, message }: { code: number; message: string }) =>
        code === -32602 && message.startsWith("Invalid input: ");
      await assert.rejects(call("eth_sendRawTransaction", data), isExpected, data);
    }
    const noGas = [1n, 5n, 0n].map((n) => (n === 0n ? new Uint8Array(0) : Uint8Array.of(Number(n))));
    const items = [...noGas, TO, ...[[], [], [0x65], [1], [1]].map((bytes) => Uint8Array.from(bytes))];
    const missing = { code: -32602, message: "Missing parameter, gasPrice, gas or value" };
    await assert.rejects(call("eth_sendRawTransaction", toData(encodeRlp(items))), missing);
    await assert.rejects(call("eth_sendRawTransaction", "0xzz"), { code: -32602 });
    await assert.rejects(call("eth_sendRawTransaction"), { code: -32602 });
  });

  it("waits for the block if mining is automatic", async () => {
    const localMiner = new FakeLocalMiner({ kind: "automatic" });
    const call = service(answering(PENDING).api, { localMiner: localMiner.api() });
    await assert.rejects(call("eth_sendRawTransaction", toData(signed.encoded)), { code: -32009 });
    assert.deepEqual(localMiner.asked, ["idle"]);
    const chain = new FakeChain(local);
    const mined = chain.extend([[]]).transactions[0]!;
    const found = service(answering(PENDING).api, { localMiner: localMiner.api() }, chain);
    assert.equal(await found("eth_sendRawTransaction", toData(mined.encoded)), toData(mined.hash));
    const idle = service(answering(PENDING).api, { localMiner: localMiner.api({ isMining: false }) });
    assert.equal(await idle("eth_sendRawTransaction", toData(signed.encoded)), toData(signed.hash));
  });
});
