import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { NETWORKS } from "@cambium/config";
import { fromHex, keccak256, toData, utf8 } from "@cambium/primitives";
import { DEFAULT_RPC_CONFIG } from "@cambium/rpc";
import { JournaledState } from "@cambium/state";
import { signTransaction } from "@cambium/types";
import { pino } from "pino";
import { Node } from "../src/index.js";
import { type NodeOptions, networkDefaults } from "../src/options.js";

const network = NETWORKS.local;
/** Creation code that computes powers until it is out of gas. */
const POWERS = fromHex("5b5f195f190a505f56");
const NAMES = Array.from({ length: 10 }, (_, i) => `cow${i || ""}`);
/** Number of transactions per account. All of them take several times as long as one turn. */
const EACH = 6n;
const READS: readonly [string, ...unknown[]][] = [
  ["eth_getBalance", `0x${"09".repeat(20)}`, "pending"],
  ["eth_call", { to: `0x${"09".repeat(20)}` }, "pending"],
];

function options(dataDir: string): NodeOptions {
  const { http, ws } = DEFAULT_RPC_CONFIG;
  const rpc = { ...DEFAULT_RPC_CONFIG, timeout: 0, http: { ...http, port: 0 }, ws: { ...ws, port: 0 } };
  return { ...networkDefaults(network), network, dataDir, rpc, version: "Test/0", inProcess: true };
}

/** Runs an action with a single-threaded node that has expensive pending transactions. */
async function withFullPool(
  action: (ask: (method: string, ...params: unknown[]) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "cambium-turns-"));
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
    for (const name of NAMES) {
      for (let nonce = 0n; nonce < EACH; nonce++) {
        const request = { nonce, gasPrice: 1n, gasLimit: 2_000_000n, data: POWERS, chainId: network.chainId };
        await ask("eth_sendRawTransaction", toData(signTransaction(request, keccak256(utf8(name))).encoded));
      }
    }
    await action(ask);
  } finally {
    await node.stop();
    rmSync(dataDir, { recursive: true });
  }
}

/** Resolves when this thread begins to execute a transaction. */
async function untilExecuting(): Promise<void> {
  const original = JournaledState.prototype.checkpoint;
  let isExecuting = false;
  JournaledState.prototype.checkpoint = function (this: JournaledState) {
    isExecuting = true;
    return original.call(this);
  };
  try {
    while (!isExecuting) await nextTurn();
  } finally {
    JournaledState.prototype.checkpoint = original;
  }
}

describe("a node that does everything in one thread", () => {
  for (const [method, ...params] of READS) {
    it(`answers other requests while ${method} at pending executes a full pool`, async () => {
      await withFullPool(async (ask) => {
        const answered: string[] = [];
        const reading = ask(method, ...params).then(() => answered.push(method));
        await untilExecuting();
        await ask("eth_blockNumber").then(() => answered.push("eth_blockNumber"));
        await reading;
        assert.deepEqual(answered, ["eth_blockNumber", method]);
      });
    });
  }

  it("answers a read at pending whose blocks are reverted while it executes the pool", async () => {
    await withFullPool(async (ask) => {
      const snapshot = await ask("evm_snapshot");
      await ask("evm_mine");
      const reads = READS.map(([method, ...params]) => ask(method, ...params));
      await untilExecuting();
      assert.equal(await ask("evm_revert", snapshot), true);
      assert.deepEqual(await Promise.all(reads), ["0x0", "0x"]);
    });
  });
});
