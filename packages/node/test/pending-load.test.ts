import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NETWORKS } from "@cambium/config";
import { fromHex, keccak256, toData, toHex, utf8 } from "@cambium/primitives";
import { DEFAULT_RPC_CONFIG } from "@cambium/rpc";
import { JournaledState } from "@cambium/state";
import { signTransaction, type TransactionRequest } from "@cambium/types";
import { pino } from "pino";
import { Node } from "../src/index.js";
import { type NodeOptions, networkDefaults } from "../src/options.js";

const network = NETWORKS.local;
const SENDER = "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826";
/** Init code that runs until it is out of gas. */
const LOOP = fromHex("5b600056");
const HEAVY_GAS = 2_000_000n;

const READER = `0x${"aa".repeat(20)}`;

/** Code that returns an account's balance. */
function balanceOf(address: Uint8Array): string {
  return `0x73${toHex(address)}3160005260206000f3`;
}

function options(dataDir: string): NodeOptions {
  const { http, ws } = DEFAULT_RPC_CONFIG;
  // Threads start slowly on a busy machine.
  const rpc = { ...DEFAULT_RPC_CONFIG, timeout: 0, http: { ...http, port: 0 }, ws: { ...ws, port: 0 } };
  return { network, dataDir, rpc, version: "Test/0", ...networkDefaults(network) };
}

/** Counts the transactions and calls that this thread begins to execute: each needs a checkpoint. */
function countExecutions(): { readonly count: number; stop(): void } {
  const original = JournaledState.prototype.checkpoint;
  const counter = {
    count: 0,
    stop: () => {
      JournaledState.prototype.checkpoint = original;
    },
  };
  JournaledState.prototype.checkpoint = function (this: JournaledState) {
    counter.count++;
    return original.call(this);
  };
  return counter;
}

describe("a node with expensive transactions pending", () => {
  it("executes none of them in its main thread, whatever clients request", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "cambium-pending-"));
    const executions = countExecutions();
    const node = (await Node.start(options(dataDir), pino({ level: "silent" })))!;
    try {
      const { host, port } = node.addresses;
      const ask = async (method: string, ...params: unknown[]) => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
        const headers = { "content-type": "application/json" };
        const response = await fetch(`http://${host}:${port}`, { method: "POST", headers, body });
        const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
        assert.equal(error, undefined, `${method}: ${error?.message}`);
        return result;
      };
      const send = (name: string, own: Partial<TransactionRequest>) => {
        const plain = { nonce: 0n, gasPrice: 1n, gasLimit: HEAVY_GAS, value: 0n, chainId: network.chainId };
        const transaction = signTransaction({ ...plain, ...own }, keccak256(utf8(name)));
        return ask("eth_sendRawTransaction", toData(transaction.encoded));
      };
      const to = new Uint8Array(20).fill(9);
      await send("cow", { to, value: 5n, gasLimit: 21_000n });
      for (let i = 1; i < 10; i++) {
        await send(`cow${i}`, { data: LOOP });
        const [balance, output, cell, count] = await Promise.all([
          ask("eth_getBalance", toData(to), "pending"),
          ask("eth_call", { from: SENDER, to: READER }, "pending", { [READER]: { code: balanceOf(to) } }),
          ask("eth_getStorageAt", toData(to), "0x0", "pending"),
          ask("eth_getTransactionCount", SENDER, "pending"),
          ask("eth_estimateGas", { from: SENDER, to: toData(to) }, "pending"),
          ask("mnr_getWork"),
        ]);
        assert.equal(balance, "0x5");
        assert.equal(output, `0x${"5".padStart(64, "0")}`);
        assert.equal(cell, `0x${"00".repeat(32)}`);
        assert.equal(count, "0x1");
      }
      await ask("evm_mine");
      assert.equal(await ask("eth_getBalance", toData(to)), "0x5");
      assert.equal(executions.count, 0);
    } finally {
      executions.stop();
      await node.stop();
      rmSync(dataDir, { recursive: true });
    }
  });
});
