import assert from "node:assert/strict";
import { localBlock, openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { Block, impersonatedTransaction } from "@cambium/types";
import { bench, NOW, solve } from "./support.js";

const { local } = NETWORKS;
const TO = new Uint8Array(20).fill(7);

describe("blocks with transactions of impersonated accounts", () => {
  // The r of one sender is a point of the curve, so a key is recovered; the r of the other sender is none.
  for (const byte of [0x01, 0x02, 0x03, 0x04, 0x05, 0x06]) {
    it(`are valid on networks for development only (${byte})`, async () => {
      const made = await bench();
      const sender = new Uint8Array(20).fill(byte);
      const request = { nonce: 0n, gasPrice: 0n, gasLimit: 21_000n, to: TO, chainId: 33 };
      made.pool.transactions = [impersonatedTransaction(request, sender)];
      const block = await solve(made.builder.build());
      assert.equal(block.transactions.length, 2);
      assert.deepEqual(block.transactions[0]!.sender, sender);

      const plain = { ...local, isForDevelopment: false };
      const other = await openChain({ network: plain, database: new MemoryDatabase(), now: () => NOW });
      const result = await other.import(localBlock(Block.decode(block.encode(), plain)));
      assert.equal(result.kind, "invalid");
      assert.equal(other.best().header.number, 0);
      assert.equal((await made.chain.import(localBlock(block))).kind, "imported-best");
      assert.equal(made.chain.stateAfter(block.hash)!.getNonce(sender), 1n);
    });
  }
});
