import assert from "node:assert/strict";
import { toData, toHex, toQuantity } from "@cambium/primitives";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { pooled } from "@cambium/test-utils/api/pooled";
import { COUNTER, SENDER } from "@cambium/test-utils/api/real-chain";
import type { Block } from "@cambium/types";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

describe("accounts, and blocks from elsewhere", () => {
  let service: RealApi;
  let counter: Uint8Array;
  const blocks: Block[] = [];
  const waiting = pooled({ nonce: 9n }, { isPending: false });
  const call = (method: string, ...params: unknown[]): Promise<Json> => service.call(method, ...params);
  const refused = (params: unknown[], code: number, message: RegExp) =>
    assert.rejects(call("debug_traceBlock", ...params), (error: Json) => {
      assert.equal(error.code, code, JSON.stringify(error));
      assert.match(error.message, message);
      return true;
    });

  before(async () => {
    const pool = new FakePool().api({
      queued: () => [waiting],
      get: (hash) => (toHex(hash) === waiting.id ? waiting : undefined),
    });
    service = await openOver({}, { pool });
    counter = service.real.deploy(COUNTER);
    blocks.push(await service.real.mine());
    for (let i = 0; i < 6; i++) {
      for (let j = 0; j < i % 3; j++) service.real.send({ to: counter });
      blocks.push(await service.real.mine());
    }
  });

  it("are described at a block as by the methods for one value", async () => {
    for (const address of [counter, SENDER].map(toData)) {
      for (const block of ["0x1", "latest", { blockHash: toData(blocks[2]!.hash) }]) {
        const [balance, nonce, code, proof] = await Promise.all([
          call("eth_getBalance", address, block),
          call("eth_getTransactionCount", address, block),
          call("eth_getCode", address, block),
          call("eth_getProof", address, [], block),
        ]);
        assert.deepEqual(await call("eth_getAccountInfo", address, block), { balance, nonce, code });
        const { codeHash, storageHash: storageRoot } = proof;
        assert.deepEqual(await call("eth_getAccount", address, block), { nonce, balance, codeHash, storageRoot });
      }
    }
    const absent = `0x${"77".repeat(20)}`;
    assert.equal(await call("eth_getAccount", absent), null);
    assert.deepEqual(await call("eth_getAccountInfo", absent), { balance: "0x0", nonce: "0x0", code: "0x" });
  });

  it("name their transactions by nonce, in each block and in the pool", async () => {
    const sent = blocks.flatMap(({ transactions }) => transactions.filter(({ isReward }) => !isReward));
    assert.ok(sent.length > 5);
    for (const { nonce, hash } of sent) {
      const found = await call("eth_getTransactionBySenderAndNonce", toData(SENDER), toQuantity(nonce));
      assert.deepEqual(found, await call("eth_getTransactionByHash", toData(hash)));
    }
    const next = toQuantity(sent.at(-1)!.nonce + 1n);
    assert.equal(await call("eth_getTransactionBySenderAndNonce", toData(SENDER), next), null);
    assert.equal(await call("eth_getTransactionBySenderAndNonce", toData(counter), "0x0"), null);
    const pending = await call("eth_getTransactionBySenderAndNonce", toData(waiting.sender), "0x9");
    assert.equal(pending.hash, toData(waiting.transaction.hash));
  });

  it("debug_traceBlock executes a block that is sent, known or not", async () => {
    const options = { tracer: "callTracer" };
    for (const block of blocks) {
      const known = await call("debug_traceBlockByHash", toData(block.hash), options);
      assert.deepEqual(await call("debug_traceBlock", toData(block.encode()), options), known);
    }
    await refused(["0xc3c0c0c0"], -32602, /malformed block/);
    await refused(["0x"], -32602, /malformed block/);
    await refused([withParent(blocks[3]!, new Uint8Array(32).fill(0x11))], -32600, /State not found/);
  });

  it("debug_traceBlock refuses a block whose transactions cannot be executed", async () => {
    const later = blocks.slice(1).find(({ transactions }) => transactions.length > 1)!;
    const moved = withParent(later, service.real.chain.genesis.hash);
    await refused([moved], -32000, /the block cannot be executed: EXECUTION /);
  });
});

/** Encoding of the block with another parent. */
function withParent(block: Block, parentHash: Uint8Array): string {
  const encoded = Buffer.from(block.encode());
  encoded.set(parentHash, encoded.indexOf(block.header.parentHash));
  return toData(encoded);
}
